// SPDX-License-Identifier: BSD-3-Clause
#include "server/pages/pages.hpp"

#include "server/http/file_answer.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::pages {
namespace {

constexpr const char* kMetricsFormat = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* kHdf5 = "application/x-hdf5";
constexpr const char* kBytes = "application/octet-stream";
constexpr std::size_t kMaxShown = 100;

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

http::Page dataset_page(service::Downloads& downloads) {
    return {
        .path = "/v1/datasets/",
        .needed = auth::Role::Viewer,
        .answer =
            [&downloads](const http::Request& request) {
                constexpr std::string_view kFile = "/file";
                if (!request.rest.ends_with(kFile)) {
                    throw Error(ErrorCode::NotFound,
                                "path must be /v1/datasets/<job uuid>/file, got \"" +
                                    to_utf8(request.path, kMaxShown) + '"');
                }
                request.check_query({"partial", "verify"});
                const std::string job = request.rest.substr(0, request.rest.size() - kFile.size());
                return answer_with(request,
                                   downloads.dataset(job, request.flag("partial"),
                                                     request.flag("verify"), caller_of(request)),
                                   kHdf5);
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
                                  service::Downloads& downloads) {
    return {metrics_page(std::move(metrics)), dataset_page(downloads), artifact_page(downloads)};
}

}  // namespace kaname::pages
