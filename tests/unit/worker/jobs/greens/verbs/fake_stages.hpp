// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "solvers/base/error.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::compute {

/// Solves "a" and "b" and knows no other source.
struct FakeSession final : jobs::SolveSession {
    std::int64_t dof() const override { return 99; }
    double setup_s() const override { return 0.5; }
    double effort() const override { return 1.0; }
    std::string element() const override { return "p2"; }
    std::string device() const override { return "cpu"; }
    std::string time_text() const override { return "2 steps of 1 to 1 years"; }
    jobs::PackOutcome solve(std::span<const std::string> ids,
                            const jobs::SolveObserver& observer) override {
        jobs::PackOutcome outcome;
        for (const std::string& id : ids) {
            if (id != "a" && id != "b") {
                throw Error(ErrorCode::InvalidArgument, "source must be one of the job's");
            }
            outcome.sources.push_back({id, "results/" + id, id == "b", id == "b" ? "slow" : ""});
        }
        jobs::SolveProgress progress;
        progress.steps = 2;
        progress.solved = {{0, 9, 1e-2, 2e-9}};
        outcome.cancelled = !observer(progress);
        return outcome;
    }
};

/// Two epochs, one station, three components; knows the sources a and b.
struct FakeReader final : jobs::SourceReader {
    std::vector<double> epochs{0.0, 1.0};

    const std::vector<double>& epochs_s() const override { return epochs; }
    std::vector<std::string> station_ids() const override { return {"S1"}; }
    std::vector<std::string> components() const override { return {"east", "north", "up"}; }
    jobs::SourceBlock read(const jobs::SourceFiles& files) override {
        jobs::SourceBlock block;
        for (const auto& [id, file] : files) {
            if (file == "broken") {
                throw Error(ErrorCode::DataLoss, file + ": is cut short");
            }
            if (id == "a" || id == "b") {
                block.ids.push_back(id);
                block.values.insert(block.values.end(), 6, id == "a" ? 1.5 : -2.0);
            }
        }
        return block;
    }
};

struct FakeStages final : jobs::Stages {
    jobs::Preflight found;
    jobs::Unsolved to_solve;
    jobs::PackageSummary packaged;

    jobs::Preflight preflight(const jobs::GreensJob&) const override { return found; }
    std::string speed_key(const jobs::GreensJob&) const override { return "fake"; }
    jobs::Speed measure_speed(const jobs::GreensJob&) const override {
        ++n_measured;
        return {0.02, 0.001};
    }
    jobs::JobCosts costs(const jobs::GreensJob&, const jobs::JobSize& size,
                         const jobs::Speed& speed) const override {
        const auto dof = static_cast<double>(size.dof);
        return {{"mesh", 1.0},
                {"setup", speed.setup_s * dof},
                {"pack", speed.iteration_s * dof},
                {"package", 2.0}};
    }
    jobs::MeshSummary mesh(const jobs::GreensJob&, const std::string&,
                           const jobs::MeshProgress& progress) const override {
        progress(0.5, "improving");
        return {"mesh: 7 tets\nmin dihedral 20", "{}", 7};
    }
    jobs::Unsolved unsolved(const jobs::GreensJob&, const std::string&,
                            const std::string&) const override {
        return to_solve;
    }
    std::unique_ptr<jobs::SolveSession> open(const jobs::GreensJob&, const std::string&,
                                             const std::string&, comm::Comm&) const override {
        return std::make_unique<FakeSession>();
    }
    jobs::PackageSummary package(const jobs::GreensJob&, const std::string&,
                                 const jobs::SourceFiles& files, bool only_these,
                                 const std::string&) const override {
        packed = files;
        only = only_these;
        return packaged;
    }
    std::unique_ptr<jobs::SourceReader> reader(const jobs::GreensJob&,
                                               const std::string&) const override {
        return std::make_unique<FakeReader>();
    }
    jobs::SourceFiles find_results(const jobs::GreensJob&, const std::string& work) const override {
        return {{"found", work}};
    }
    mutable jobs::SourceFiles packed;
    mutable bool only = false;
    mutable int n_measured = 0;
};

}  // namespace kaname::compute
