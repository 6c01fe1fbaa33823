// SPDX-License-Identifier: BSD-3-Clause
#include "server/pages/site.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/http/answers.hpp"
#include "server/http/ranges.hpp"
#include "server/pages/pages.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/sha256.hpp"
#include "solvers/base/text.hpp"

namespace kaname::pages {
namespace fs = std::filesystem;
namespace {

constexpr const char* kIndex = "index.html";
constexpr const char* kNoPage =
    "<!doctype html>\n<html lang=\"en\"><head><meta "
    "charset=\"utf-8\"><title>Kaname</title></head>\n"
    "<body><h1>Kaname</h1>\n<p>This server does not find its page: there is no "
    "<code>index.html</code> in <code>share/kaname/page</code> beside the folder of the program, "
    "or in the folder that <code>--page-folder</code> names. A build and an installation put it "
    "there; the server need not start again.</p>\n"
    "<p>All else works: the API over gRPC and at <code>/v1/</code>, and "
    "<code>/metrics</code>.</p></body></html>\n";

std::string type_of(const fs::path& path) {
    static const std::map<std::string, std::string> types = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"}};
    const auto found = types.find(path.extension().string());
    return found == types.end() ? "application/octet-stream" : found->second;
}

}  // namespace

PageFolder::Files PageFolder::read() const {
    Files files;
    std::error_code failed;
    std::size_t bytes = 0;
    for (fs::recursive_directory_iterator at(folder_, failed), end; !failed && at != end;
         at.increment(failed)) {
        const fs::path path = at->path();
        if (!at->is_regular_file(failed) || at->is_symlink(failed) ||
            path.filename().string().starts_with('.')) {
            continue;
        }
        bytes += at->file_size(failed);
        if (files.size() == kMostFiles || bytes > kMostBytes) {
            throw Error(ErrorCode::Exhausted,
                        "--page-folder " + folder_.string() + ": must have at most " +
                            std::to_string(kMostFiles) + " files and " +
                            std::to_string(kMostBytes >> 20U) + " MiB; it is no built page");
        }
        const std::string name = path.lexically_relative(folder_).generic_string();
        File file{read_file_if_any(path), type_of(path), "", name.starts_with("assets/")};
        file.sha256 = sha256_hex(file.text);
        files.emplace(name, std::move(file));
    }
    return files;
}

std::shared_ptr<const PageFolder::Files> PageFolder::files() {
    std::error_code failed;
    const fs::file_time_type written = fs::last_write_time(folder_ / kIndex, failed);
    const std::lock_guard lock(mutex_);
    if (failed) {
        files_ = std::make_shared<const Files>();
    } else if (files_ == nullptr || files_->empty() || written != written_) {
        files_ = std::make_shared<const Files>(read());
        written_ = written;
    }
    return files_;
}

http::Answer PageFolder::answer(const http::Request& request) {
    const auto files = this->files();
    const std::string name = request.rest.empty() ? kIndex : request.rest;
    const auto found = files->find(name);
    if (found == files->end() && name == kIndex) {
        return {.headers = {{"Content-Type", "text/html; charset=utf-8"},
                            {"Cache-Control", "no-cache"}},
                .text = kNoPage};
    }
    if (found == files->end()) {
        throw Error(ErrorCode::NotFound,
                    "there is no page \"" + to_utf8(request.path, http::kMaxShownPath) + '"');
    }
    const File& file = found->second;
    http::Answer answer{
        .headers = {
            {"Content-Type", file.type},
            {"ETag", '"' + file.sha256 + '"'},
            {"Cache-Control", file.for_ever ? "public, max-age=31536000, immutable" : "no-cache"}}};
    const auto none_match = request.header("if-none-match");
    if (none_match && http::has_tag(*none_match, file.sha256, true)) {
        answer.status = 304;
    } else {
        answer.text = file.text;
    }
    return answer;
}

http::Page PageFolder::page() {
    return {.path = "/",
            .answer = [this](const http::Request& request) { return answer(request); },
            .open = true};
}

namespace {

gateway::GatewayOptions gateway_options(const SiteOptions& options, rpc::ApiServer& api) {
    return {.channel = api.local_channel(),
            .by_token =
                [&api](const std::optional<std::string>& authorization, auth::Role needed,
                       const std::string& method) {
                    return api.authenticate(authorization, needed, method);
                },
            .take_stream =
                [&api](const http::Request& request) {
                    return api.take_stream(request.caller, request.connection);
                },
            .door = {.tls = !options.http.certificate.empty(),
                     .sessions = options.sessions,
                     .version = options.version}};
}

}  // namespace

Site::Site(const SiteOptions& options, rpc::ApiServer& api, const service::Backends& backends,
           helpers::Describer& describer)
    : api_(api),
      gateway_(gateway_options(options, api)),
      descriptions_(backends.store, backends.artifacts, api.downloads(), describer),
      folder_(options.page) {
    std::vector<http::Page> rows =
        all_pages([&api] { return api.metrics(); }, api.downloads(), &descriptions_);
    std::ranges::move(health_pages([&api] { return api.is_serving(); }), std::back_inserter(rows));
    std::ranges::move(gateway_.pages(), std::back_inserter(rows));
    rows.push_back(folder_.page());
    server_ =
        std::make_unique<http::Server>(options.http, std::move(rows), gateway_.authenticate());
    api_.make_login_codes_by([this](const auth::Principal& caller, const std::string& token) {
        const auto code = gateway_.make_login_code(token, caller.name);
        return service::LoginCode{code.key, code.until_s};
    });
}

Site::~Site() {
    stop();
}

void Site::stop() {
    api_.make_login_codes_by({});
    gateway_.drain();
    server_.reset();
}

}  // namespace kaname::pages
