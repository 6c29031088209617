#include "http/sigv4/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "http/sigv4/sigv4.h"

namespace evener::http {

Digest sha256(std::string_view bytes) {
  // Fetched once: a lookup by name costs more than the hash of a small request.
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Digest digest;
  const int done = EVP_Digest(bytes.data(), bytes.size(),
                              reinterpret_cast<unsigned char*>(digest.data()), nullptr, kAlgorithm,
                              nullptr);
  CHECK(done == 1, "SHA-256 of bytes in memory cannot fail");
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  // RFC 2104 over our own SHA-256: OpenSSL's one-shot HMAC looks its algorithm up by name.
  constexpr std::size_t kBlock = 64;
  const Digest hashed = key.size() > kBlock ? sha256(key) : Digest{};
  if (key.size() > kBlock) key = view_of(hashed);
  std::string inner(kBlock, '\x36');
  std::string outer(kBlock, '\x5c');
  for (std::size_t at = 0; at < key.size(); ++at) {
    inner[at] = static_cast<char>(inner[at] ^ key[at]);
    outer[at] = static_cast<char>(outer[at] ^ key[at]);
  }
  inner.append(bytes);
  outer.append(view_of(sha256(inner)));
  return sha256(outer);
}

std::string to_hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (const char c : digest) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) { return to_hex(sha256(bytes)); }

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace evener::http
