#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "http/sigv4/sigv4.h"

// botocore_vectors.json holds what botocore's own signers made of 120 requests (make_vectors.py).
namespace evener::http {
namespace {

using namespace std::chrono_literals;

const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + 10h + 11min + 12s;

struct Vector {
  Request request;
  AccessKey key;
  SigningScope scope;
  std::string form;
  std::string authorization;
  std::string signed_query;
};

std::vector<Vector> read_vectors() {
  std::ifstream file("src/http/sigv4/botocore_vectors.json");
  std::vector<Vector> vectors;
  for (const auto& one : nlohmann::json::parse(file)) {
    Vector& vector = vectors.emplace_back();
    vector.request.method = one["method"];
    vector.request.path = one["path"];
    vector.request.query = one["query"];
    vector.request.body = one["body"];
    for (const auto& header : one["headers"]) {
      vector.request.headers.add(header[0].get<std::string>(), header[1].get<std::string>());
    }
    vector.key = {"AKIDEXAMPLE", "secret/+=", one["token"]};
    vector.scope = {one["region"], one["service"]};
    vector.form = one["form"];
    vector.authorization = one["authorization"];
    vector.signed_query = one["signed_query"];
  }
  return vectors;
}

std::string signature_in(const std::string& text) {
  return text.substr(text.find("Signature=") + 10, 64);
}

TEST(Oracle, OurSignaturesAreBotocores) {
  int compared = 0;
  for (const Vector& vector : read_vectors()) {
    Request request = vector.request;
    if (vector.form == "header") {
      sign(request, vector.key, vector.scope, sha256_hex(request.body), kNow);
      EXPECT_EQ(request.headers.find("Authorization"), vector.authorization)
          << vector.scope.service << " " << request.path << "?" << request.query;
    } else {
      const std::string query = presign(request, vector.key, vector.scope, kNow, 600s);
      EXPECT_EQ(signature_in(query), signature_in(vector.signed_query))
          << vector.scope.service << " " << request.path << "?" << request.query;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 120);
}

TEST(Oracle, WhatBotocoreSignedIsVerified) {
  for (const Vector& vector : read_vectors()) {
    const Verifier verifier({vector.key});
    Request request = vector.request;
    if (vector.form == "header") {
      request.headers.set("X-Amz-Date", "20261130T101112Z");
      if (vector.scope.service == "s3") {
        request.headers.set("X-Amz-Content-SHA256", sha256_hex(request.body));
      }
      if (!vector.key.session_token.empty()) {
        request.headers.set("X-Amz-Security-Token", vector.key.session_token);
      }
      request.headers.set("Authorization", vector.authorization);
    } else {
      request.query = vector.signed_query;
    }
    const auto caller = verifier.verify(request, kNow + 1min);
    ASSERT_TRUE(caller) << caller.error().message << request.path << "?" << request.query;
    EXPECT_EQ(caller->service, vector.scope.service);
    EXPECT_EQ(caller->region, vector.scope.region);
  }
}

}  // namespace
}  // namespace evener::http
