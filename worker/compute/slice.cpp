// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/slice.hpp"

#include <algorithm>
#include <charconv>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

void set_range(const char* axis, const std::string& text, v1::IndexRange& range) {
    std::int64_t numbers[3] = {};
    const char* at = text.data();
    const char* end = at + text.size();
    for (int part = 0; part < 3; ++part) {
        const auto [next, error] = std::from_chars(at, end, numbers[part]);
        const bool last = part == 2;
        if (error != std::errc() || (last ? next != end : next == end || *next != ':')) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string(axis) + " must be start:count:stride, got '" + text + "'");
        }
        at = next + 1;
    }
    range.set_start(numbers[0]);
    range.set_count(numbers[1]);
    range.set_stride(numbers[2]);
}

double seconds(const char* option, const std::string& text) {
    const auto value = request::parse_number(text);
    if (!value) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string(option) + " must be a number of seconds, got '" + text + "'");
    }
    return *value;
}

io::IndexRange index_range(const v1::IndexRange& range) {
    return {range.start(), range.count(), std::max<std::int64_t>(1, range.stride())};
}

io::GreensSliceReader reader_of(const std::string& dataset, const v1::ReadSliceRequest& wanted) {
    if (std::vector<Violation> broken = request::check_slice(wanted); !broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    const bool by_names = !wanted.source_ids().empty() || !wanted.patch_ids().empty() ||
                          !wanted.station_ids().empty() || wanted.has_from_s() || wanted.has_to_s();
    if (by_names) {
        return {dataset, indices_of(io::read_greens_axes(dataset), wanted)};
    }
    return {dataset, index_range(wanted.sources()), index_range(wanted.epochs()),
            index_range(wanted.stations())};
}

}  // namespace

v1::ReadSliceRequest slice_of(const SliceOptions& options) {
    v1::ReadSliceRequest wanted;
    if (!options.wanted.empty()) {
        report::parse_into(request::read_text_file(options.wanted), options.wanted, wanted);
    }
    if (!options.sources.empty()) {
        set_range("sources", options.sources, *wanted.mutable_sources());
    }
    if (!options.epochs.empty()) {
        set_range("epochs", options.epochs, *wanted.mutable_epochs());
    }
    if (!options.stations.empty()) {
        set_range("stations", options.stations, *wanted.mutable_stations());
    }
    const auto add = [](const std::vector<std::string>& from, auto* into) {
        into->Add(from.begin(), from.end());
    };
    add(options.source_ids, wanted.mutable_source_ids());
    add(options.patch_ids, wanted.mutable_patch_ids());
    add(options.station_ids, wanted.mutable_station_ids());
    if (!options.from_s.empty()) {
        wanted.set_from_s(seconds("from-s", options.from_s));
    }
    if (!options.to_s.empty()) {
        wanted.set_to_s(seconds("to-s", options.to_s));
    }
    return wanted;
}

int slice(const std::string& dataset, const v1::ReadSliceRequest& wanted, const std::string& out,
          Reporter& reporter) {
    io::GreensSliceReader reader = reader_of(dataset, wanted);
    ValuesFile file(out);
    for (std::vector<double> piece; !(piece = reader.next()).empty();) {
        file.append(piece);
    }
    file.close();
    const io::GreensSlice& block = reader.axes();
    v1::SliceReport report;
    for (const std::size_t size : {block.sources.size(), block.epochs_s.size(),
                                   block.stations.size(), block.components.size()}) {
        report.add_shape(report::count(static_cast<std::int64_t>(size)));
    }
    report.mutable_source_ids()->Assign(block.sources.begin(), block.sources.end());
    report.mutable_epochs_s()->Assign(block.epochs_s.begin(), block.epochs_s.end());
    report.mutable_station_ids()->Assign(block.stations.begin(), block.stations.end());
    report.mutable_components()->Assign(block.components.begin(), block.components.end());
    reporter.result("slice", report);
    return run::kExitOk;
}

}  // namespace kaname::compute
