// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/kaname/v1/jobs_service.pb.h"
#include "proto/report/report.hpp"
#include "server/service/datasets/filter.hpp"
#include "server/service/stream/paging.hpp"
#include "server/store/rules.hpp"
#include "server/web/gateway/messages.hpp"
#include "server/web/http/ranges.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/log_line.hpp"
#include "tests/fuzz/target_groups.hpp"
#include "worker/compute/slice.hpp"
#include "worker/run/events.hpp"

namespace kaname::fuzz {
namespace {

/// As it comes over HTTP, also with a message within a message that names its type.
void request(std::string_view bytes) {
    for (const auto* type :
         {v1::ReadSliceRequest::descriptor(), v1::CreateJobRequest::descriptor()}) {
        try {
            (void)gateway::parse(*type, std::string(bytes), "body");
        } catch (const ValidationError& error) {
            if (error.violations().front().message.size() > 1000) {
                std::abort();
            }
        }
    }
}

/// Checks that a slice lies within the axes of its dataset.
void slice(std::string_view bytes) {
    static const io::GreensAxes axes = {{"a/dip_slip", "a/strike_slip", "b/dip_slip"},
                                        {"a", "a", "b"},
                                        {"W10", "E10", "N25", "S25"},
                                        {0.0, 31557600.0, 63115200.0}};
    const auto message =
        gateway::parse(*v1::ReadSliceRequest::descriptor(), std::string(bytes), "body");
    const io::GreensIndices found =
        compute::indices_of(axes, dynamic_cast<const v1::ReadSliceRequest&>(*message));
    const auto within = [](const std::vector<std::int64_t>& indices, std::size_t extent) {
        return std::ranges::all_of(indices, [&](std::int64_t index) {
            return index >= 0 && index < static_cast<std::int64_t>(extent);
        });
    };
    if (!within(found.sources, axes.sources.size()) ||
        !within(found.stations, axes.stations.size()) ||
        !within(found.epochs, axes.epochs_s.size())) {
        std::abort();
    }
}

void report(std::string_view bytes) {
    try {
        (void)report::to_json(report::parse<v1::DatasetReport>(std::string(bytes), "input"),
                              report::Layout::Line);
    } catch (const report::BrokenReport& error) {
        throw Error(ErrorCode::InvalidArgument, error.what());
    }
}

/// Whatever `read` throws of ours is an answer; the next reader gets the same bytes.
template <class Read>
void attempt(const Read& read) {
    try {
        read();
    } catch (const Error&) {
    }
}

void filter(std::string_view bytes) {
    const std::string text(bytes);
    attempt([&] { (void)service::parse_campaign_filter(text); });
    attempt([&] { (void)service::parse_member_filter(text); });
    (void)store::listing_name(service::parse_filter(text));
}

void dataset_filter(std::string_view bytes) {
    v1::ListDatasetsRequest wanted;
    wanted.set_filter(std::string(bytes));
    (void)service::trouble_of_tag(wanted.filter());
    (void)service::parse_utc(wanted.filter());
    (void)service::dataset_filter(wanted);
}

/// Checks that the range in a header stays within the file.
void byte_range(std::string_view bytes) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1000}}) {
        const http::Selection part = http::select_range(bytes, size);
        if (part.offset > size || part.bytes > size - part.offset ||
            (part.kind == http::Selection::Kind::Part && part.bytes == 0)) {
            std::abort();
        }
    }
    (void)http::has_tag(bytes, "abc", true);
    const std::string name = http::attachment(std::string(bytes));
    if (name.find_first_of("\r\n\\/") != std::string::npos) {
        std::abort();
    }
}

/// Headers and options of one short text.
void trace_and_address(std::string_view bytes) {
    (void)trace_id_of(parse_traceparent(bytes));
    attempt([&] {
        const Address address = parse_address("input", std::string(bytes));
        if (address.port < 0 || address.port > 65535) {
            std::abort();
        }
        (void)is_loopback(address.host);
    });
}

void page_token(std::string_view bytes) {
    (void)store::parse_token("jobs", std::string(bytes), 0);
}

void resume_token(std::string_view bytes) {
    (void)service::parse_resume_token("7d1f2c55-6a9e-4f0c-9d1b-0c6f1f1f7a11", std::string(bytes));
}

void channel_line(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        (void)run::parse_line(bytes.substr(at, end - at));
        at = end + 1;
    }
}

}  // namespace

std::vector<Target> service_targets() {
    return {
        {"request",
         request,
         {},
         {"{", "}", "[", "]", ":", ",", "null", "1e999", "\"@type\"", "\"", "\\u0000", "NaN"}},
        {"slice",
         slice,
         {},
         {"{", "}", "[", "]", ":", ",", "start", "count", "stride", "epochs", "sources", "-1",
          "\"9223372036854775807\"", "from_s", "station_ids", "NaN"}},
        {"report", report, {}, {"{", "}", "[", "]", ":", ",", "null", "true", "\"", "\\ud800"}},
        {"filter", filter, {}, {" AND ", "=", "\"", "\\", "state", "owner", "title"}},
        {"dataset_filter",
         dataset_filter,
         {},
         {" AND ", "=", ">=", "<", "\"", "*", "made_at", "tag", "complete", "true", "campaign"}},
        {"byte_range", byte_range, {}, {"bytes=", "-", ",", "18446744073709551616", "\"", "W/"}},
        {"trace_and_address", trace_and_address, {}, {"00-", "-", ":", "[", "]", "::1"}},
        {"page_token", page_token, {}, {".", "-", "="}},
        {"resume_token", resume_token, {}, {".", "-"}},
        {"channel_line", channel_line, {}, {"@kaname ", "{", "}", "\"type\"", "null", "[", "\""}},
    };
}

}  // namespace kaname::fuzz
