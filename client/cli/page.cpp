// SPDX-License-Identifier: BSD-3-Clause
// page: the server's page in a browser, logged in.
#include "client/cli/page.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include <httplib.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "client/cli/page_address.hpp"
#include "client/cli/service.hpp"
#include "client/lib/recorded_page.hpp"
#include "proto/status/channel.hpp"
#include "solvers/base/environment.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/detached.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct PageOptions {
    ServiceOptions service;
    std::string view;
    bool print = false;
};

/// Certificates of a PEM text, as what a connection trusts; the connection frees it.
X509_STORE* store_of(const std::string& pem) {
    X509_STORE* const store = X509_STORE_new();
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
    while (X509* const certificate = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)) {
        X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
    }
    return store;
}

/// A code that logs in once, for who has this token.
std::string login_code(const std::string& url, const client::Endpoint& endpoint,
                       const std::string& ca) {
    const std::size_t scheme = url.find("://");
    const std::string address = url.substr(scheme + 3);
    rpc::check_listener({.address = address, .ca = ca, .owner = endpoint.owner});
    // Of this user, where the server wants to see one.
    httplib::Client client(url, environment("KANAME_CERT"), environment("KANAME_KEY"));
    if (!ca.empty()) {
        client.set_ca_cert_store(store_of(ca));
    }
    const httplib::Result answer =
        client.Post("/v1/login-codes", {{"Authorization", "Bearer " + endpoint.token}}, "{}",
                    "application/json");
    if (!answer) {
        throw Error(ErrorCode::Unavailable,
                    "the page at " + url + " does not answer: " + to_string(answer.error()));
    }
    const auto said = nlohmann::json::parse(answer->body, nullptr, false);
    if (answer->status != 200 || !said.is_object()) {
        throw Error(answer->status == 401 ? ErrorCode::Unauthenticated : ErrorCode::Unavailable,
                    "the page at " + url + " makes no login: " +
                        (said.is_object() ? said.value("message", answer->body) : answer->body));
    }
    return said.value("code", "");
}

bool has_browser() {
    const bool has_screen =
        !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
    return has_screen && std::system("command -v xdg-open > /dev/null 2>&1") == 0;
}

/// By a file that only this user can read: the arguments of a program can be read by everybody.
void open_browser(const fs::path& state, const std::string& address) {
    const fs::path file = state / "page.html";
    const auto own = fs::perms::owner_read | fs::perms::owner_write;
    write_file(file, "");
    fs::permissions(file, own);
    write_file(file,
               "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + address + "\">\n");
    fs::permissions(file, own);
    run::DetachedOptions how;
    how.argv = {"/bin/sh", "-c", "exec xdg-open \"$0\"", file.string()};
    how.log = state / "page.log";
    (void)run::start_detached(how);
}

int page_command(const PageOptions& options, const Context& context) {
    const fs::path state = client::state_folder(options.service.state);
    const client::Endpoint endpoint = client::find_endpoint(
        options.service.server, options.service.token, state, options.service.ca);
    const auto [url, ca_of_page] = client::recorded_page(state);
    if (url.empty()) {
        throw Error(ErrorCode::NotReady,
                    "the server of " + state.string() +
                        " has no page: start it again with --http 127.0.0.1:0 (`kaname up` does so "
                        "by itself), or open the address of its --http");
    }
    std::string view = options.view;
    if (const auto job = job_of_view(view)) {
        const auto client = open_client(options.service);
        view = with_job(view, resolve_job(*client, *job));
    }
    const std::string ca = url.starts_with("https") ? ca_of_page : "";
    const std::string address = page_address(url, login_code(url, endpoint, ca), view);
    if (context.json) {
        print_json({{"page", url}, {"address", address}});
        return run::kExitOk;
    }
    if (!options.print && has_browser()) {
        open_browser(state, address);
        std::cout << "opened " << url << "\n";
        return run::kExitOk;
    }
    std::cout << address << "\n";
    std::cerr << "open it within a minute: it logs in once\n";
    return run::kExitOk;
}

}  // namespace

void add_page(CLI::App& app, Context& context) {
    const auto options = std::make_shared<PageOptions>();
    CLI::App* command = add_command<PageOptions>(
        app, context, "page", "Open the server's page in a browser", options, page_command);
    command->add_option(
        "view", options->view,
        "What to show: overview, or map/JOB and the like; JOB as in other commands");
    command->add_flag("--print", options->print, "Only print the address, which logs in once");
    add_service_options(*command, options->service);
}

}  // namespace kaname::cli
