// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/admin/page.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include <sys/stat.h>

#include "client/cli/common/service.hpp"
#include "client/lib/calls.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"
#include "worker/run/detached.hpp"
#include "worker/run/exit_code.hpp"

// page: the server's page in a browser, logged in.
namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct PageOptions {
    ServiceOptions service;
    std::string view;
    bool print = false;
};

bool has_browser() {
    const bool has_screen =
        !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
    return has_screen && std::system("command -v xdg-open > /dev/null 2>&1") == 0;
}

/// By a file that only this user can read: the arguments of a program can be read by everybody.
void open_browser(const fs::path& state, const std::string& address) {
    const fs::path file = state / "page.html";
    const mode_t before = ::umask(077);
    write_file(file,
               "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + address + "\">\n");
    ::umask(before);
    run::DetachedOptions how;
    how.argv = {"/bin/sh", "-c", "exec xdg-open \"$0\"", file.string()};
    how.log = state / "page.log";
    (void)run::start_detached(how);
}

int page_command(const PageOptions& options, const Context& context) {
    const fs::path state = client::state_folder(options.service.state);
    const client::Endpoint endpoint = client::find_endpoint(
        options.service.server, options.service.token, state, options.service.ca);
    const client::RecordedPage page = client::recorded_page(state);
    if (page.url.empty()) {
        throw Error(ErrorCode::NotReady,
                    "the server of " + state.string() +
                        " has no page: start it again with --http 127.0.0.1:0 (`kaname up` does so "
                        "by itself), or open the address of its --http");
    }
    const auto own = client::recorded_endpoint(state);
    if (!own ||
        (endpoint.address != own->address && endpoint.address != client::recorded_listen(state))) {
        throw Error(ErrorCode::InvalidArgument,
                    "page: where the page of " + endpoint.address +
                        " is, only its own state folder tells; open the address of its --http");
    }
    client::check_page(page, endpoint.owner);
    const auto client = open_client(options.service);
    std::string view = options.view;
    if (const auto job = job_of_view(view)) {
        view = with_job(view, resolve_job(*client, *job));
    }
    const std::string address = page_address(page.url, client->make_login_code(), view);
    if (context.json) {
        print_json({{"page", page.url}, {"address", address}});
        return run::kExitOk;
    }
    if (!options.print && has_browser()) {
        open_browser(state, address);
        std::cout << "opened " << page.url << "\n";
        return run::kExitOk;
    }
    std::cout << address << "\n";
    std::cerr << "open it within a minute: it logs in once\n";
    return run::kExitOk;
}

}  // namespace

void add_page(Command& app, Context& context) {
    const auto options = std::make_shared<PageOptions>();
    Command& command = add_command<PageOptions>(
        app, context, "page", "Open the server's page in a browser", options, page_command);
    command.add_options(
        {{"view", &options->view,
          "What to show: overview, or map/JOB and the like; JOB as in other commands"},
         {"--print", &options->print, "Only print the address, which logs in once"}});
    add_service_options(command, options->service);
}

namespace {

constexpr std::array kViewsOfJobs = {"job", "jobs", "map", "mesh"};

}  // namespace

std::optional<std::string> job_of_view(const std::string& view) {
    const std::size_t slash = view.find('/');
    if (slash == std::string::npos || slash + 1 == view.size() ||
        std::ranges::find(kViewsOfJobs, view.substr(0, slash)) == kViewsOfJobs.end()) {
        return std::nullopt;
    }
    return view.substr(slash + 1);
}

std::string with_job(const std::string& view, const std::string& uuid) {
    return view.substr(0, view.find('/') + 1) + uuid;
}

std::string page_address(const std::string& url, const std::string& code, const std::string& view) {
    std::string to;
    for (const char letter : view) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '-' || letter == '/' ||
                           letter == '_' || letter == '.';
        constexpr const char* kDigits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(letter);
        to += plain ? std::string(1, letter)
                    : std::string{'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    return url + "/#login=" + code + (to.empty() ? "" : "&to=/" + to);
}

}  // namespace kaname::cli
