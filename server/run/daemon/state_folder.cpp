// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/daemon/state_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <type_traits>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <nlohmann/json.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::daemon {
namespace {

namespace fs = std::filesystem;

constexpr long kLifetime_s = 10L * 365 * 86400;

template <auto release>
struct Release {
    template <class Object>
    void operator()(Object* object) const {
        release(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Release<X509_free>>;
using Bio = std::unique_ptr<BIO, Release<BIO_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Release<X509_EXTENSION_free>>;

/// OpenSSL's functions return 1, or an object, when they succeed.
void check(bool done, const char* what) {
    if (!done) {
        throw Error(ErrorCode::Unavailable, std::string("TLS certificate: ") + what + " failed: " +
                                                ERR_reason_error_string(ERR_get_error()));
    }
}

bool is_ip(const std::string& text) {
    unsigned char bytes[sizeof(in6_addr)];
    return ::inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
           ::inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

/// Returns the names by which clients may reach this server, "DNS:name,IP:address".
std::string names_of(std::string host) {
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    std::set<std::string> names = {"localhost", "127.0.0.1", "::1"};
    char own[256] = {};
    if (::gethostname(own, sizeof own - 1) == 0) {
        names.insert(own);
    }
    if (host == "0.0.0.0" || host == "::") {
        ifaddrs* all = nullptr;
        (void)::getifaddrs(&all);
        for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
            char text[INET6_ADDRSTRLEN] = {};
            if (at->ifa_addr == nullptr) {
                continue;
            }
            if (at->ifa_addr->sa_family == AF_INET) {
                ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(at->ifa_addr)->sin_addr, text,
                            sizeof text);
                names.insert(text);
            }
        }
        ::freeifaddrs(all);
    } else if (!host.empty()) {
        names.insert(host);
    }
    std::string list;
    for (const std::string& name : names) {
        list += (list.empty() ? "" : ",") + std::string(is_ip(name) ? "IP:" : "DNS:") + name;
    }
    return list;
}

void extend(X509* certificate, int kind, const std::string& value) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
    check(extension && X509_add_ext(certificate, extension.get(), -1) == 1, value.c_str());
}

template <class Write>
std::string pem_text(const Write& write) {
    const Bio memory(BIO_new(BIO_s_mem()));
    check(memory && write(memory.get()) == 1, "writing PEM");
    char* begin = nullptr;
    const long size = BIO_get_mem_data(memory.get(), &begin);
    return {begin, static_cast<std::size_t>(size)};
}

KeyPair make(const std::string& names) {
    const Key key(EVP_EC_gen("P-256"));
    check(key != nullptr, "making a key");
    const Certificate certificate(X509_new());
    check(certificate && X509_set_version(certificate.get(), 2) == 1, "X509_new");
    unsigned char serial[8];
    check(RAND_bytes(serial, sizeof serial) == 1, "RAND_bytes");
    std::uint64_t number = 0;
    for (const unsigned char byte : serial) {
        number = number << 8U | byte;
    }
    check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), number >> 1U) == 1,
          "the serial number");
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -86400);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kLifetime_s);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* name = X509_get_subject_name(certificate.get());
    check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>("kaname-server"), -1,
                                     -1, 0) == 1,
          "the name");
    X509_set_issuer_name(certificate.get(), name);
    extend(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    extend(certificate.get(), NID_ext_key_usage, "serverAuth");
    extend(certificate.get(), NID_subject_alt_name, names);
    check(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "signing");
    return {pem_text([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); }),
            pem_text([&](BIO* out) {
                return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr,
                                                nullptr);
            })};
}

bool holds(const std::string& pem, std::time_t now) {
    const Bio text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    const Certificate certificate(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    return certificate && X509_cmp_time(X509_get0_notAfter(certificate.get()), &now) > 0;
}

}  // namespace

KeyPair self_signed(const fs::path& state, const std::string& host, std::time_t now) {
    const fs::path folder = state / "tls";
    const std::string names = names_of(host);
    KeyPair pair{read_file_if_any(folder / "certificate.pem"),
                 read_file_if_any(folder / "key.pem")};
    // Kept as long as it fits: clients hold copies of it.
    const bool fits = read_file_if_any(folder / "names") == names;
    if (fits && !pair.key.empty() && holds(pair.certificate, now)) {
        return pair;
    }
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed || ::chmod(folder.c_str(), 0700) != 0) {
        throw Error(ErrorCode::Unavailable, folder.string() + ": cannot be made");
    }
    pair = make(names);
    write_private(folder / "key.pem", pair.key);
    write_private(folder / "certificate.pem", pair.certificate);
    write_private(folder / "names", names);
    return pair;
}

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

fs::path choose(const std::string& wanted) {
    if (!wanted.empty()) {
        return wanted;
    }
    if (const std::string state = environment("KANAME_STATE"); !state.empty()) {
        return state;
    }
    if (const std::string folder = environment("XDG_STATE_HOME"); !folder.empty()) {
        return fs::path(folder) / "kaname";
    }
    if (::geteuid() == 0) {
        return "/var/lib/kaname";  // the database's user can reach it, unlike root's home
    }
    const std::string home = environment("HOME");
    if (home.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "state folder: name one with --state or KANAME_STATE, as HOME is not set");
    }
    return fs::path(home) / ".local/state/kaname";
}

}  // namespace

fs::path state_folder(const std::string& wanted) {
    const fs::path state = fs::weakly_canonical(fs::absolute(choose(wanted)));
    return state.has_filename() ? state : state.parent_path();  // not "folder/"
}

void make_state_folder(const fs::path& state) {
    make_private_folder(state);
    check_state_folder(state);
}

PidFile::PidFile(const fs::path& state) : path_(state / "server.pid") {
    write_file(path_, std::to_string(::getpid()) + "\n");
}

PidFile::~PidFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
}

void write_running_options(const std::filesystem::path& state, const RunningOptions& options) {
    const nlohmann::json content{{"workers", options.workers},
                                 {"ranks", options.ranks},
                                 {"threads", options.threads},
                                 {"device", options.device},
                                 {"lease-s", options.lease_s},
                                 {"database", options.database},
                                 {"artifacts", options.artifacts},
                                 {"listen", options.listen},
                                 {"metrics", options.metrics},
                                 {"http", options.http},
                                 {"tls", options.tls},
                                 {"tls-cert", options.tls_cert},
                                 {"tls-key", options.tls_key},
                                 {"tls-client-ca", options.tls_client_ca},
                                 {"config", options.config},
                                 {"said", options.said}};
    write_private(state / "options.json", content.dump() + "\n");
}

std::optional<RunningOptions> read_running_options(const std::filesystem::path& state) {
    const auto content = nlohmann::json::parse(read_file_if_any(state / "options.json"), nullptr,
                                               /*allow_exceptions=*/false);
    if (!content.is_object()) {
        return std::nullopt;
    }
    RunningOptions options;
    const auto read = [&](const char* key, auto& value) {
        if (content.contains(key)) {
            value = content[key].get<std::decay_t<decltype(value)>>();
        }
    };
    try {
        for (const auto& [key, value] :
             {std::pair("device", &options.device), std::pair("database", &options.database),
              std::pair("artifacts", &options.artifacts), std::pair("listen", &options.listen),
              std::pair("metrics", &options.metrics), std::pair("http", &options.http),
              std::pair("tls", &options.tls), std::pair("tls-cert", &options.tls_cert),
              std::pair("tls-key", &options.tls_key),
              std::pair("tls-client-ca", &options.tls_client_ca),
              std::pair("config", &options.config)}) {
            read(key, *value);
        }
        read("workers", options.workers);
        read("ranks", options.ranks);
        read("threads", options.threads);
        read("lease-s", options.lease_s);
        read("said", options.said);
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    return options;
}

void write_private(const std::filesystem::path& path, const std::string& text) {
    // Nobody else may read a token between its writing and a change of the mode: write_file's
    // temporary file is there, closed to others, before it holds anything.
    const std::filesystem::path part = path.string() + ".part";
    const Fd made(::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!made.open() || ::fchmod(made.get(), 0600) != 0) {
        throw Error(ErrorCode::Unavailable, part.string() + ": " + std::strerror(errno));
    }
    write_file(path, text);
}

}  // namespace kaname::daemon
