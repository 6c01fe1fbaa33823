// SPDX-License-Identifier: BSD-3-Clause
#include "server/pages/pages.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "server/http/answers.hpp"
#include "server/http/ranges.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"
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

}  // namespace kaname::pages
