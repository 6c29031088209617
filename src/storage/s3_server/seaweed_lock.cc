#include "storage/s3_server/seaweed_lock.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace evener::storage {
namespace {

constexpr long kEarlierSeconds = 24 * 3'600;               // clocks may differ or be set
constexpr long kValidSeconds = 20L * 365 * 24 * 3'600;     // longer than any server runs
constexpr std::size_t kTokenKeyCharacters = 48;

template <class T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* object) const { kFree(object); }
};
void free_bio(BIO* bio) { BIO_free(bio); }
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION, X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO, free_bio>>;

bool extend(X509* certificate, int kind, const char* value) {
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool fill(X509* certificate, EVP_PKEY* key) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* word = reinterpret_cast<const unsigned char*>("evener");
  return X509_set_version(certificate, 2) == 1 &&
         ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kEarlierSeconds) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kValidSeconds) != nullptr &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, word, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         extend(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         extend(certificate, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost") &&
         X509_set_pubkey(certificate, key) == 1 && X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : "";
}

}  // namespace

Result<OwnCertificate> make_own_certificate() {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  const Memory shown(BIO_new(BIO_s_mem()));
  const Memory hidden(BIO_new(BIO_s_mem()));
  if (!key || !certificate || !shown || !hidden || !fill(certificate.get(), key.get()) ||
      PEM_write_bio_X509(shown.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(hidden.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failure(ErrorCode::kIo, "could not make a certificate for the S3 server");
  return OwnCertificate{text_of(shown.get()), text_of(hidden.get())};
}

Result<std::vector<std::string>> make_seaweed_lock(os::FileSystem& files, Random& random,
                                                   const os::fs::path& folder) {
  const auto made = make_own_certificate();
  if (!made) return tl::unexpected(made.error());
  const os::fs::path certificate = folder / "parts.crt";
  const os::fs::path key = folder / "parts.key";
  RETURN_IF_ERROR(os::write_private_text(files, certificate, made->certificate));
  RETURN_IF_ERROR(os::write_private_text(files, key, made->private_key));
  std::vector<std::string> variables{"WEED_GRPC_CA=" + certificate.string()};
  for (const char* part : {"MASTER", "VOLUME", "FILER", "S3", "ADMIN", "WORKER", "CLIENT",
                           "MSG_BROKER", "MSG_AGENT"}) {
    const std::string start = std::string("WEED_GRPC_") + part;
    variables.push_back(start + "_CERT=" + certificate.string());
    variables.push_back(start + "_KEY=" + key.string());
  }
  for (const char* door : {"SIGNING", "SIGNING_READ", "FILER_SIGNING", "FILER_SIGNING_READ"})
    variables.push_back(std::string("WEED_JWT_") + door + "_KEY=" +
                        random_suffix(random, kTokenKeyCharacters));
  return variables;
}

}  // namespace evener::storage
