#include "http/sigv4/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>

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
  std::string inner;
  inner.reserve(kBlock + bytes.size());
  inner.assign(kBlock, '\x36');
  std::array<char, kBlock + sizeof(Digest)> outer;
  std::fill_n(outer.begin(), kBlock, '\x5c');
  for (std::size_t at = 0; at < key.size(); ++at) {
    inner[at] = static_cast<char>(inner[at] ^ key[at]);
    outer[at] = static_cast<char>(outer[at] ^ key[at]);
  }
  inner.append(bytes);
  const Digest of_inner = sha256(inner);
  std::copy(of_inner.begin(), of_inner.end(), outer.begin() + kBlock);
  return sha256({outer.data(), outer.size()});
}

std::string to_hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(2 * digest.size(), '0');
  for (std::size_t at = 0; at < digest.size(); ++at) {
    const auto byte = static_cast<unsigned char>(digest[at]);
    out[2 * at] = kDigits[byte >> 4];
    out[2 * at + 1] = kDigits[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) { return to_hex(sha256(bytes)); }

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace evener::http
