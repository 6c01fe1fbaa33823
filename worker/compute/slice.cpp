// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/slice.hpp"

#include <charconv>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "worker/compute/values_file.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

io::IndexRange range_of(const char* axis, const std::string& text) {
    io::IndexRange range;
    const char* at = text.data();
    const char* end = at + text.size();
    bool good = true;
    for (std::int64_t* number : {&range.start, &range.count, &range.stride}) {
        const auto [next, error] = std::from_chars(at, end, *number);
        good = good && error == std::errc() &&
               (number == &range.stride ? next == end : next != end && *next == ':');
        if (!good) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string(axis) + " must be start:count:stride, got '" + text + "'");
        }
        at = next + 1;
    }
    range.stride = range.stride == 0 ? 1 : range.stride;
    return range;
}

}  // namespace

int slice(const std::string& dataset, const std::string& sources, const std::string& epochs,
          const std::string& stations, const std::string& out, Reporter& reporter) {
    const io::GreensSlice block =
        io::read_greens_slice(dataset, range_of("sources", sources), range_of("epochs", epochs),
                              range_of("stations", stations));
    write_values(out, block.greens);
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
