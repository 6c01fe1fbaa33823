// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/pages/site.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "server/web/http/answers.hpp"
#include "server/web/http/ranges.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"

namespace kaname::pages {
namespace {

constexpr const char* kMetricsFormat = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* kHdf5 = "application/x-hdf5";
constexpr const char* kBytes = "application/octet-stream";

service::Downloads::Caller caller_of(const http::Request& request) {
    return {request.caller, request.connection, request.gone};
}

http::Answer answer_with(const http::Request& request, service::Download download,
                         const char* type) {
    http::Answer answer = http::file_answer(request, {.file = std::move(download.file),
                                                      .bytes = download.bytes,
                                                      .sha256 = std::move(download.sha256),
                                                      .name = std::move(download.name),
                                                      .type = type,
                                                      .may_change = !download.is_final});
    answer.held = std::make_shared<service::Limits::Place>(std::move(download.place));
    return answer;
}

/// "<job uuid>/what" behind a page's path.
std::pair<std::string, std::string> job_and_rest(const http::Request& request) {
    const std::size_t slash = std::min(request.rest.find('/'), request.rest.size());
    return {request.rest.substr(0, slash),
            slash < request.rest.size() ? request.rest.substr(slash + 1) : ""};
}

http::Answer answer_with(const http::Request& request, service::Description description) {
    // Whatever version of this program says more of the same file has another tag.
    const std::string tag = sha256_hex(description.json);
    http::Answer answer{.headers = {{"Content-Type", "application/json"},
                                    {"ETag", '"' + tag + '"'},
                                    {"Cache-Control", "private, no-cache"}}};
    const auto none_match = request.header("if-none-match");
    if (none_match && http::has_tag(*none_match, tag, true)) {
        answer.status = 304;
    } else {
        answer.text = std::move(description.json);
    }
    return answer;
}

/// Nothing: there is no such description.
std::optional<http::Answer> describe(const http::Request& request, const std::string& job,
                                     const std::string& what, service::Descriptions& descriptions) {
    const bool partial = request.flag("partial");
    if (what == "map") {
        request.check_query({"partial"});
        return answer_with(request, descriptions.map(job, partial, caller_of(request)));
    }
    if (what == "report") {
        request.check_query({"partial"});
        return answer_with(request,
                           descriptions.dataset("show", {}, job, partial, caller_of(request)));
    }
    if (what == "solves") {
        request.check_query({"partial", "source"});
        std::vector<std::string> arguments;
        const auto sources = request.query.find("source");
        std::istringstream ids(sources == request.query.end() ? "" : sources->second);
        for (std::string id; std::getline(ids, id, ',');) {
            arguments.push_back("--source=" + id);
        }
        return answer_with(
            request, descriptions.dataset("solves", arguments, job, partial, caller_of(request)));
    }
    return std::nullopt;
}

}  // namespace

http::Page metrics_page(std::function<std::string()> metrics) {
    return {.path = "/metrics",
            .needed = auth::Role::Viewer,
            .answer = [metrics = std::move(metrics)](const http::Request&) -> http::Answer {
                try {
                    return {.headers = {{"Content-Type", kMetricsFormat}}, .text = metrics()};
                } catch (const std::exception& error) {
                    throw Error(ErrorCode::Unavailable, error.what());
                }
            }};
}

std::vector<http::Page> health_pages(std::function<bool()> serves) {
    const auto ok = [](const char* text) -> http::Answer {
        return {.headers = {{"Content-Type", "text/plain; charset=utf-8"},
                            {"Cache-Control", "no-store"}},
                .text = text};
    };
    return {{.path = "/healthz",
             .answer = [ok](const http::Request&) { return ok("ok\n"); },
             .open = true},
            {.path = "/readyz",
             .answer = [ok, serves = std::move(serves)](const http::Request&) -> http::Answer {
                 if (!serves()) {
                     throw Error(
                         ErrorCode::Unavailable,
                         "not ready: the database does not answer, or the server shuts down");
                 }
                 return ok("ready\n");
             },
             .open = true}};
}

http::Page dataset_page(service::Downloads& downloads, service::Descriptions* descriptions) {
    return {.path = "/v1/datasets/",
            .needed = auth::Role::Viewer,
            .answer =
                [&downloads, descriptions](const http::Request& request) {
                    const auto [job, what] = job_and_rest(request);
                    if (what == "file") {
                        request.check_query({"partial", "verify"});
                        return answer_with(
                            request,
                            downloads.dataset(job, request.flag("partial"), request.flag("verify"),
                                              caller_of(request)),
                            kHdf5);
                    }
                    if (descriptions != nullptr) {
                        if (auto answer = describe(request, job, what, *descriptions)) {
                            return std::move(*answer);
                        }
                    }
                    throw Error(ErrorCode::NotFound,
                                "path must be /v1/datasets/<job uuid>/file, map, report or "
                                "solves, got \"" +
                                    to_utf8(request.path, http::kMaxShownPath) + '"');
                },
            .slow = true};
}

http::Page mesh_page(service::Descriptions& descriptions) {
    return {.path = "/v1/jobs/",
            .needed = auth::Role::Viewer,
            .answer =
                [&descriptions](const http::Request& request) {
                    const auto [job, what] = job_and_rest(request);
                    if (what != "mesh") {
                        throw Error(ErrorCode::NotFound,
                                    "path must be /v1/jobs/<job uuid>/mesh, got \"" +
                                        to_utf8(request.path, http::kMaxShownPath) + '"');
                    }
                    request.check_query({});
                    return answer_with(request, descriptions.mesh(job, caller_of(request)));
                },
            .slow = true};
}

http::Page artifact_page(service::Downloads& downloads) {
    return {.path = "/v1/artifacts/",
            .needed = auth::Role::Viewer,
            .answer =
                [&downloads](const http::Request& request) {
                    request.check_query({"verify"});
                    return answer_with(request,
                                       downloads.artifact(request.rest, request.flag("verify"),
                                                          caller_of(request)),
                                       kBytes);
                },
            .slow = true};
}

std::vector<http::Page> all_pages(std::function<std::string()> metrics,
                                  service::Downloads& downloads,
                                  service::Descriptions* descriptions) {
    std::vector<http::Page> pages = {metrics_page(std::move(metrics)),
                                     dataset_page(downloads, descriptions),
                                     artifact_page(downloads)};
    if (descriptions != nullptr) {
        pages.push_back(mesh_page(*descriptions));
    }
    return pages;
}

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
            .login = {.tls = !options.http.certificate.empty(),
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
