// SPDX-License-Identifier: BSD-3-Clause
#include "tests/toy/compute/half_space_verbs.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <numbers>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/support/okada.hpp"
#include "tests/toy/half_space.pb.h"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::toy {
namespace {

constexpr double kRadians = std::numbers::pi / 180.0;

HalfSpace wanted_by(const compute::Call& call) {
    HalfSpace wanted;
    request::from_json(request::read_text_file(call.request), "file '" + call.request + "'",
                       wanted);
    return wanted;
}

int preflight(const compute::Call& call, compute::Runtime& runtime) {
    const HalfSpace wanted = wanted_by(call);
    v1::Estimate estimate;
    estimate.set_sources(static_cast<std::uint32_t>(wanted.faults_size()));
    estimate.set_stations(static_cast<std::uint32_t>(wanted.stations_size()));
    estimate.set_epochs(1);
    estimate.set_each_pack_s(0.1);
    estimate.set_package_s(0.1);
    estimate.set_spread(2.0);
    runtime.reporter.result(call.verb, estimate);
    return run::kExitOk;
}

/// [station][east, north, up] m per m of dip slip.
std::vector<double> displacement(const HalfSpace& wanted, const HalfSpace::Rectangle& fault) {
    const test::OkadaFault plane{{fault.x_m(), fault.y_m(), -fault.top_depth_m()},
                                 fault.strike_deg() * kRadians,
                                 fault.dip_deg() * kRadians,
                                 fault.length_m(),
                                 fault.width_m()};
    const test::OkadaMedium medium = test::okada_medium(wanted.lambda_pa(), wanted.mu_pa());
    std::vector<double> values;
    for (const HalfSpace::Point& station : wanted.stations()) {
        const Vec3 u = test::okada_displacement(plane, {.dip = 1.0}, medium,
                                                {station.x_m(), station.y_m(), 0.0});
        values.insert(values.end(), {u.x, u.y, u.z});
    }
    return values;
}

int displace(const compute::Call& call, compute::Runtime& runtime) {
    const HalfSpace wanted = wanted_by(call);
    const auto fault = std::ranges::find(wanted.faults(), call.item, &HalfSpace::Rectangle::name);
    if (fault == wanted.faults().end()) {
        throw Error(ErrorCode::InvalidArgument, "item: no fault is named '" + call.item + "'");
    }
    runtime.reporter.progress(call.verb, 0.0, fault->name());
    compute::write_values(call.out, displacement(wanted, *fault));
    runtime.reporter.result(call.verb, v1::SolveReport());
    return run::kExitOk;
}

/// Reads the displacements that the verb displace wrote.
std::vector<double> read_displacement(const HalfSpace& wanted, const std::string& file) {
    std::vector<double> values(3 * static_cast<std::size_t>(wanted.stations_size()));
    std::ifstream in(file, std::ios::binary);
    if (!in.read(reinterpret_cast<char*>(values.data()),
                 static_cast<std::streamsize>(values.size() * sizeof(double)))) {
        throw Error(ErrorCode::DataLoss, "file '" + file + "' is too short");
    }
    return values;
}

int collect(const compute::Call& call, compute::Runtime& runtime) {
    const HalfSpace wanted = wanted_by(call);
    io::GreensDataset dataset;
    dataset.name = dataset.title = wanted.name();
    dataset.projected = false;
    dataset.specification_json = request::canonical_text(wanted);
    dataset.epochs_s = {0.0};
    dataset.step_time_s = {0.0};
    for (const HalfSpace::Point& point : wanted.stations()) {
        io::GreensDataset::Station station{.id = point.id()};
        station.x_m = station.snapped_x_m = point.x_m();
        station.y_m = station.snapped_y_m = point.y_m();
        dataset.stations.push_back(station);
    }
    v1::PackageReport report;
    for (const HalfSpace::Rectangle& fault : wanted.faults()) {
        const auto result = call.inputs.find(fault.name());
        const bool done = result != call.inputs.end();
        io::GreensDataset::Source source{.id = fault.name(), .component = "dip_slip"};
        source.status = done ? 1 : 0;
        dataset.sources.push_back(source);
        const std::vector<double> values =
            done ? read_displacement(wanted, result->second)
                 : std::vector<double>(3 * dataset.stations.size(), io::GreensDataset::kNone);
        dataset.greens.insert(dataset.greens.end(), values.begin(), values.end());
        dataset.iterations.push_back(done ? 0 : -1);
        dataset.residual.push_back(0.0);
        dataset.initial_residual.push_back(0.0);
        done ? report.set_sources_done(report.sources_done() + 1)
             : report.set_sources_missing(report.sources_missing() + 1);
    }
    io::write_greens_dataset(call.out, dataset);
    report.set_dataset(call.out);
    runtime.reporter.result(call.verb, report);
    return report.sources_missing() == 0 ? run::kExitOk : run::kExitSomeFailed;
}

class Reader final : public jobs::SourceReader {
public:
    explicit Reader(HalfSpace wanted) : wanted_(std::move(wanted)) {}

    const std::vector<double>& epochs_s() const override { return epochs_s_; }
    std::vector<std::string> station_ids() const override {
        std::vector<std::string> ids;
        for (const HalfSpace::Point& station : wanted_.stations()) {
            ids.push_back(station.id());
        }
        return ids;
    }
    std::vector<std::string> components() const override { return {"east", "north", "up"}; }
    jobs::SourceBlock read(const jobs::SourceFiles& files) override {
        jobs::SourceBlock block;
        for (const auto& [id, file] : files) {
            const std::vector<double> values = read_displacement(wanted_, file);
            block.ids.push_back(id);
            block.values.insert(block.values.end(), values.begin(), values.end());
        }
        return block;
    }

private:
    const HalfSpace wanted_;
    const std::vector<double> epochs_s_ = {0.0};
};

int read(const compute::Call& call, compute::Runtime& runtime) {
    Reader reader(wanted_by(call));
    return compute::read_sources(reader, std::cin, runtime.reporter);
}

}  // namespace

const compute::Kind& half_space_verbs() {
    static const compute::Kind kind{
        .schemas = {HalfSpace::descriptor()->full_name()},
        .verbs = {{.name = "preflight", .what = "Count", .once = preflight},
                  {.name = "displace",
                   .what = "Displacement by one rectangle",
                   .out = compute::Use::Must,
                   .once = displace},
                  {.name = "collect",
                   .what = "Collect the rectangles in one dataset",
                   .more_inputs = true,
                   .out = compute::Use::Must,
                   .once = collect},
                  {.name = "read", .what = "Read finished rectangles", .once = read}}};
    return kind;
}

}  // namespace kaname::toy
