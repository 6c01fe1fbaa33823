// SPDX-License-Identifier: BSD-3-Clause
#include "client/lib/calls.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string_view>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "client/lib/client.hpp"
#include "proto/status/channel.hpp"
#include "proto/status/status.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::client {
namespace {

constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::milliseconds kLongestDelay{1000};
constexpr int kMoreTries = 6;
constexpr std::chrono::seconds kLostContact{120};

/// A connection failed for another reason than that nobody listens: what gRPC takes for the reason
/// may be an errno of its own (rpc::connect), so that nothing is known about the server.
bool is_doubtful(const Error& error) {
    const std::string_view text = error.what();
    return text.find("failed to connect") != std::string_view::npos &&
           text.find("Connection refused") == std::string_view::npos;
}

rpc::Target target_of(const Endpoint& endpoint) {
    return {endpoint.address, endpoint.ca, endpoint.certificate, endpoint.key, endpoint.owner};
}

/// Returns what helps where nobody answered.
std::string advice_of(const std::string& message, const rpc::Target& target) {
    if (rpc::proxy_of(target)) {
        return "";  // transport_advice names it
    }
    const std::string refused = rpc::certificate_refusal_advice(message);
    if (!refused.empty()) {  // of one that has ended, transport_advice says when
        return rpc::certificate_time_advice(target.ca, std::time(nullptr)).empty() ? refused : "";
    }
    if (message.find("ALPN") != std::string::npos) {
        return "; what listens there speaks TLS and no gRPC, such as the page of --http: must be "
               "HOST:PORT of the server's --listen";
    }
    return "; is it running? `kaname up` starts it";
}

}  // namespace

Canceller::Canceller(std::function<bool()> cancelled) : cancelled_(std::move(cancelled)) {
    if (cancelled_) {
        thread_ = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                if (cancelled_()) {
                    const std::lock_guard lock(mutex_);
                    for (grpc::ClientContext* call : calls_) {
                        call->TryCancel();
                    }
                }
                std::this_thread::sleep_for(kLook);
            }
        });
    }
}

void Canceller::add(grpc::ClientContext* call) {
    const std::lock_guard lock(mutex_);
    calls_.insert(call);
}

void Canceller::remove(grpc::ClientContext* call) {
    const std::lock_guard lock(mutex_);
    calls_.erase(call);
}

Client::Parts::Parts(Endpoint found, ClientOptions given)
    : endpoint(std::move(found)),
      options(std::move(given)),
      channel(rpc::connect(target_of(endpoint))),
      jobs(v1::Jobs::NewStub(channel)),
      campaigns(v1::Campaigns::NewStub(channel)),
      greens(v1::Greens::NewStub(channel)),
      artifacts(v1::Artifacts::NewStub(channel)),
      datasets(v1::Datasets::NewStub(channel)),
      admin(v1::Admin::NewStub(channel)),
      canceller(options.cancelled) {}

Client::Parts::Call::Call(Parts& parts, std::chrono::seconds limit) : parts_(parts) {
    rpc::check_listener(target_of(parts.endpoint));
    AddMetadata("authorization", "Bearer " + parts.endpoint.token);
    if (const std::string trace = traceparent_of_environment(); !trace.empty()) {
        AddMetadata("traceparent", trace);
    }
    set_deadline(std::chrono::system_clock::now() + limit);
    parts_.canceller.add(this);
}

Client::Parts::Call::~Call() {
    parts_.canceller.remove(this);
}

void Client::Parts::check(const grpc::Status& status, const char* call) {
    if (options.check) {
        options.check();
    }
    if (status.ok()) {
        return;
    }
    const std::string server =
        "the server at " + endpoint.address + " (from " + endpoint.origin + ")";
    switch (status.error_code()) {
        case grpc::StatusCode::UNAVAILABLE:
        case grpc::StatusCode::DEADLINE_EXCEEDED:
            rpc::throw_error(status, std::string("no answer to ") + call + " from " + server +
                                         advice_of(status.error_message(), target_of(endpoint)));
        case grpc::StatusCode::RESOURCE_EXHAUSTED:
            // gRPC's own words about sizes, or the server's about a limit.
            rpc::throw_error(status,
                             status.error_message().find("larger than max") != std::string::npos
                                 ? std::string(call) + ": a message to or from " + server +
                                       " is larger than a call may carry"
                                 : std::string(call) + " failed at " + server);
        default:
            rpc::throw_error(status, std::string(call) + " failed at " + server);
    }
}

void Client::Parts::insist(const std::function<void()>& attempt) {
    std::chrono::milliseconds delay{200};
    for (int number = 1;; ++number) {
        try {
            attempt();
            return;
        } catch (const Error& error) {
            const int tries = options.tries + (is_doubtful(error) ? kMoreTries : 0);
            if (!is_retryable(error.code())) {
                throw;
            }
            if (number >= tries) {
                throw Error(error.code(),
                            error.what() + rpc::transport_advice(target_of(endpoint)));
            }
        }
        for (auto slept = std::chrono::milliseconds{0}; slept < delay; slept += kLook) {
            std::this_thread::sleep_for(kLook);
            if (options.check) {
                options.check();
            }
        }
        delay = std::min(2 * delay, kLongestDelay);
    }
}

void resume(Client::Parts& parts, const std::function<bool()>& open) {
    auto last = std::chrono::steady_clock::now();
    while (true) {
        try {
            parts.insist([&] {
                if (open()) {
                    last = std::chrono::steady_clock::now();
                }
            });
            return;
        } catch (const Error& error) {
            if (!is_retryable(error.code()) ||
                std::chrono::steady_clock::now() - last > kLostContact) {
                throw;
            }
        }
    }
}

RecordedPage recorded_page(const std::filesystem::path& state) {
    const auto file =
        nlohmann::json::parse(read_file_if_any(state / "client.json"), nullptr, false);
    const auto text = [&](const char* name) {
        return file.is_object() && file.contains(name) && file[name].is_string()
                   ? file[name].get<std::string>()
                   : std::string();
    };
    return {text("http"), text("ca")};
}

void check_page(const RecordedPage& page, std::optional<uid_t> owner) {
    rpc::check_listener({.address = page.url.substr(page.url.find("://") + 3),
                         .ca = page.url.starts_with("https://") ? page.ca : "",
                         .owner = owner});
}

namespace fs = std::filesystem;

fs::path state_folder(const std::string& wanted) {
    const std::string named = wanted.empty() ? environment("KANAME_STATE") : wanted;
    if (!named.empty()) {
        return fs::absolute(named).lexically_normal();
    }
    if (const std::string folder = environment("XDG_STATE_HOME"); !folder.empty()) {
        return fs::path(folder) / "kaname";
    }
    if (::geteuid() == 0) {
        return "/var/lib/kaname";
    }
    const std::string home = environment("HOME");
    if (home.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--state must name a folder: neither KANAME_STATE nor HOME is set");
    }
    return fs::path(home) / ".local/state/kaname";
}

namespace {

constexpr std::string_view kUnix = "unix:";

/// client.json; null where there is none.
nlohmann::json recorded(const fs::path& state) {
    std::ifstream in(state / "client.json");
    return nlohmann::json::parse(in, nullptr, false);
}

std::string text_of(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Reads the certificates, which only TLS over a network needs.
void add_certificates(Endpoint& endpoint, const std::string& ca) {
    if (endpoint.address.starts_with(kUnix)) {
        endpoint.ca.clear();
        return;
    }
    const std::string file = ca.empty() ? environment("KANAME_CA") : ca;
    if (!file.empty()) {
        endpoint.ca = rpc::read_pem(ca.empty() ? "KANAME_CA" : "--ca", file);
    }
    endpoint.certificate = rpc::read_pem("KANAME_CERT", environment("KANAME_CERT"));
    endpoint.key = rpc::read_pem("KANAME_KEY", environment("KANAME_KEY"));
}

}  // namespace

std::optional<Endpoint> recorded_endpoint(const fs::path& state) {
    const fs::path file = state / "client.json";
    const nlohmann::json found = recorded(state);
    struct stat info {};
    if (!found.is_object() || ::stat(file.c_str(), &info) != 0) {
        return std::nullopt;
    }
    // Who writes this file says where tokens and data go. Root may use another user's.
    for (const fs::path& path : {fs::weakly_canonical(state), file}) {
        check_private(path, ::geteuid() == 0 ? std::optional(info.st_uid) : std::nullopt);
    }
    Endpoint endpoint{text_of(found, "address"), text_of(found, "token"), file.string()};
    endpoint.ca = endpoint.address.starts_with(kUnix) ? "" : text_of(found, "ca");
    endpoint.owner = info.st_uid;
    return endpoint;
}

std::string recorded_listen(const fs::path& state) {
    const nlohmann::json file = recorded(state);
    const std::string address = text_of(file, "address");
    const std::string listen = text_of(file, "listen");
    return listen.empty() && !address.starts_with(kUnix) ? address : listen;
}

Endpoint find_endpoint(const std::string& server, const std::string& token, const fs::path& state,
                       const std::string& ca) {
    Endpoint endpoint{server, token, "--server"};
    if (endpoint.address.empty()) {
        endpoint.address = environment("KANAME_SERVER");
        endpoint.origin = "KANAME_SERVER";
    }
    if (endpoint.token.empty()) {
        endpoint.token = environment("KANAME_TOKEN");
    }
    if (!endpoint.address.empty() && !endpoint.address.starts_with(kUnix)) {
        (void)parse_address(endpoint.origin, endpoint.address);
    }
    const std::optional<Endpoint> found = recorded_endpoint(state);
    const bool named = !endpoint.address.empty();
    if (!found && !named) {
        throw Error(ErrorCode::Unavailable,
                    "no server has been started here (" + (state / "client.json").string() +
                        " cannot be read); start one with `kaname up`, or name one with --server");
    }
    if (endpoint.token.empty() && !found) {
        throw Error(ErrorCode::Unauthenticated,
                    "no token for " + endpoint.address + ": give --token or KANAME_TOKEN");
    }
    if (endpoint.token.empty()) {
        endpoint.token = found->token;
    }
    if (!named) {
        endpoint.address = found->address;
        endpoint.origin = found->origin;
    }
    if (found) {
        endpoint.owner = found->owner;
        // The server of this state folder, at its address for other machines or the recorded one.
        const nlohmann::json file = recorded(state);
        if (endpoint.address == found->address || endpoint.address == text_of(file, "listen")) {
            endpoint.ca = text_of(file, "ca");
        }
    }
    add_certificates(endpoint, ca);
    return endpoint;
}

}  // namespace kaname::client
