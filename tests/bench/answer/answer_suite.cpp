// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/answer/answer_suite.hpp"

#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/p2/locate.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "worker/jobs/greens/answer.hpp"

namespace kaname::bench {
namespace {

using lanes::kLanes;
using viscoelastic::SpectrumSolver;

constexpr double kAnswerTolerance = 1e-3;
constexpr int kAnswerSources = 24, kAnswerEpochs = 100, kAnswerRheologies = 1000;
constexpr int kTimedSteps = 20;  // of the time steps beside it, after the coseismic solve
constexpr double kStepsPerRelaxation = 5.0;

std::vector<Vec3> answer_stations() {
    std::vector<Vec3> points;
    for (int i = 0; i < 14; ++i) {
        for (int j = 0; j < 10; ++j) {
            points.push_back({8e3 * (i - 6.5), 8e3 * (j - 4.5), 0.0});
        }
    }
    return points;
}

/// The lattice's body, with this range of the half-space's viscosity or without one.
struct Body {
    comm::SerialComm comm;
    device::Queue queue;
    p2::DofMap dofs;
    fault::SplitNodes split;
    viscoelastic::Model model;
    viscoelastic::Observer observer;

    Body(const Lattice& lattice, const std::vector<earth::Material>& materials)
        : dofs(lattice.mesh),
          split(fault::split_fault_nodes(lattice.mesh, dofs.conn, dofs.node_xyz)),
          model(lattice.mesh, dofs, materials, fixed_sides(), comm),
          observer(model, p2::locate_points(lattice.mesh, answer_stations()), queue) {}

    [[nodiscard]] std::vector<viscoelastic::ElementOffset> offsets() const {
        return element_offsets(model, dofs, split, four_hats(dofs, split));
    }
};

/// The second of two packs, which finds the hierarchies of its shifts; its solves with the elastic
/// one, and seconds.
int solve_pack(SpectrumSolver& solver, const Body& body, double& seconds) {
    int solves = 0;
    for (int pack = 0; pack < 2; ++pack) {
        const auto start = Clock::now();
        (void)solver.start(body.offsets());
        for (solves = 1; solver.advance(); ++solves) {
        }
        seconds = seconds_since(start);
    }
    return solves;
}

viscoelastic::SpectrumParams params() {
    viscoelastic::SpectrumParams params;
    params.end_s = kSpectrumEnd_s;
    params.tolerance = kAnswerTolerance;
    params.kept_hierarchies = 16;
    return params;
}

/// A dataset of the pack's four sources, six times over: what an answer costs does not depend on
/// whether they are others.
io::GreensDataset dataset_of(SpectrumSolver& solver, Body& body,
                             const viscoelastic::RelaxationGroups& groups, int n_solves) {
    io::GreensDataset dataset;
    dataset.name = "bench";
    for (std::size_t k = 0; k < answer_stations().size(); ++k) {
        dataset.stations.emplace_back().id = "P" + std::to_string(k);
    }
    const auto sources = solver.source_models(kLanes);
    const auto elastic = body.observer.observe(solver.elastic_displacement(), solver.offsets(),
                                               body.comm, body.queue);
    std::vector<std::vector<double>> basis;
    for (const auto& w : solver.basis()) {
        basis.push_back(body.observer.observe(w, {}, body.comm, body.queue));
    }
    const std::size_t width = elastic.size() / kLanes;
    for (int k = 0; k < kAnswerSources; ++k) {
        const int lane = k % kLanes;
        const viscoelastic::SourceModel& source = sources[lane];
        io::GreensDataset::Reduced& reduced = dataset.reduced.emplace_back();
        reduced.matrices = jobs::record_of(source, groups, kAnswerTolerance, n_solves);
        const int n = source.model.n_basis;
        reduced.fields.assign((1 + n) * width, 0.0);
        for (std::size_t i = 0; i < width; ++i) {
            reduced.fields[i] = elastic[i * kLanes + lane];
            for (int vector = 0; vector < n; ++vector) {
                double sum = 0.0;
                for (std::size_t of = 0; of < basis.size() * kLanes; ++of) {
                    sum += source.T[vector * basis.size() * kLanes + of] *
                           basis[of / kLanes][i * kLanes + of % kLanes];
                }
                reduced.fields[(1 + vector) * width + i] = sum;
            }
        }
        dataset.sources.emplace_back().id = "s" + std::to_string(k);
        dataset.sources.back().status = 1;
    }
    return dataset;
}

/// Seconds of the same job by time steps, from some steps of one pack.
double stepped_seconds(const Lattice& lattice, Body& body) {
    const double dt_s = lattice.maxwell_time_s / kStepsPerRelaxation;
    viscoelastic::PackSolver solver(
        body.model, {dt_s, kTimedSteps, 0.5}, {},
        viscoelastic::predictor_params(viscoelastic::PredictorKind::Projection, 1e-8), body.comm,
        body.queue);
    solver.start(body.offsets());
    (void)solver.advance();
    const auto start = Clock::now();
    while (!solver.finished()) {
        (void)solver.advance();
    }
    return seconds_since(start) / kTimedSteps * std::ceil(kSpectrumEnd_s / dt_s) * kAnswerSources /
           kLanes;
}

void measure_answer(const jobs::Answers& answers, double stepped_s, Row row, Report& report) {
    row.method = "answer";
    row.vectors = kAnswerSources;
    std::vector<double> epochs_s;
    for (int k = 0; k < kAnswerEpochs; ++k) {
        epochs_s.push_back(kSpectrumEnd_s * k / (kAnswerEpochs - 1));
    }
    const jobs::SourceTimeFunction step({jobs::HistoryKind::Step}, kSpectrumEnd_s);
    const std::vector<double> slip_m(kAnswerSources, 0.5);
    const viscoelastic::ViscosityParameter& range = answers.parameters().front();
    int turn = 0;
    const auto rheology = [&] {  // another one each time
        const double share = std::fmod(0.618034 * ++turn, 1.0);
        return answers.rheology(
            {{range.name, range.from_pa_s * std::pow(range.to_pa_s / range.from_pa_s, share)}});
    };
    double checksum = 0.0;
    const Samples motion = summarize(time_repeated([&] {
        const auto of = rheology();
        checksum += answers.at(of.relaxation, answers.times(epochs_s, step), answers.all()).back();
    }));
    const Samples certified = summarize(time_repeated([&] {
        const auto of = rheology();
        checksum += answers.at(of.relaxation, answers.times(epochs_s, step), answers.all()).back();
        checksum += answers.error(of, answers.all());
    }));
    const auto start = Clock::now();
    const jobs::AnswerTimes times = answers.times(epochs_s, step);
    for (int k = 0; k < kAnswerRheologies; ++k) {
        const auto of = rheology();
        checksum += answers.sum(of.relaxation, times, slip_m).back();
        checksum += answers.error(of, answers.all());
    }
    const double many_s = seconds_since(start);
    std::fprintf(stderr, "  answer: %.2f ms, %.2f ms with its certificate (sum %.6e)\n",
                 1e3 * motion.median, 1e3 * certified.median, checksum);
    report.add(row, "seconds_per_rheology", "s", motion);
    report.add(row, "seconds_per_certified_rheology", "s", certified);
    report.add(row, "seconds_10000_rheologies_summed", "s",
               summarize({many_s * 10000.0 / kAnswerRheologies}));
    report.add(row, "times_faster_than_steps", "1", summarize({stepped_s / certified.median}));
}

}  // namespace

void measure_answers(const Lattice& lattice, Report& report) {
    Row row;
    row.model = lattice.name;
    row.method = "parametric_spectrum";
    row.threads = device::max_threads();
    row.vectors = kLanes;
    std::vector<earth::Material> materials = lattice.structure.materials;
    double one_s = 0.0;
    int one_solves = 0;
    {
        Body body(lattice, materials);
        const auto groups =
            viscoelastic::relaxation_groups(body.model.materials(), body.model.element());
        SpectrumSolver solver(body.model, groups, params(), {}, body.observer, body.comm,
                              body.queue);
        one_solves = solve_pack(solver, body, one_s);
    }
    for (earth::Material& material : materials) {
        if (material.viscosity_pa_s) {
            const double reference = *material.viscosity_pa_s;
            material.viscosity_range = {reference / 10.0, reference * 10.0};
        }
    }
    Body body(lattice, materials);
    row.dof = body.model.n_dof();
    const auto groups =
        viscoelastic::relaxation_groups(body.model.materials(), body.model.element());
    SpectrumSolver solver(body.model, groups, params(), {}, body.observer, body.comm, body.queue);
    double range_s = 0.0;
    const int solves = solve_pack(solver, body, range_s);
    std::fprintf(stderr, "  two decades: %d solves, %.2f s; one viscosity: %d solves, %.2f s\n",
                 solves, range_s, one_solves, one_s);
    if (!solver.reached()) {
        throw Error(ErrorCode::NotConverged, "parametric_spectrum: the range was not reached");
    }
    report.add(row, "solves_per_pack", "1", summarize({double(solves)}));
    report.add(row, "seconds_per_pack", "s", summarize({range_s}));
    report.add(row, "times_one_viscosity", "1", summarize({range_s / one_s}));
    report.add(row, "solves_per_pack_of_one_viscosity", "1", summarize({double(one_solves)}));
    report.add(row, "seconds_per_pack_of_one_viscosity", "s", summarize({one_s}));
    const jobs::Answers answers(dataset_of(solver, body, groups, solves));
    report.add(row, "certified_error", "1",
               summarize({std::max(answers.error(answers.rheology({}), answers.all()),
                                   solver.error_estimate())}));
    measure_answer(answers, stepped_seconds(lattice, body), row, report);
}

}  // namespace kaname::bench
