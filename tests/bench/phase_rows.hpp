// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <iosfwd>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/phases.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

/// Seconds and work of every phase, step by step, and what the machine would need at least.
class PhaseRows {
public:
    /// From now on the queue's steps are taken down; it outlives this.
    explicit PhaseRows(device::Queue& queue);
    ~PhaseRows();
    PhaseRows(const PhaseRows&) = delete;
    PhaseRows& operator=(const PhaseRows&) = delete;

    /// Before a step.
    void start() { recorder_.reset(); }
    /// After it, step_s long per source: seconds are the mean over ranks, work is that of all ranks
    /// together. Both are divided by the sources. Collective.
    void keep(double step_s, int n_sources, comm::Comm& comm);
    /// Appends, for the step of median length, phase_<name>_s, _bytes and _floor_s of all phases,
    /// their sum over the step and its floors: bytes at the machine's triad, flops at its peaks.
    void add_to(Report& report, const Row& row) const;

private:
    device::Queue& queue_;
    device::Phases recorder_;
    struct Step {
        double seconds;
        device::Phases::Records phases;
    };
    std::vector<Step> kept_;
};

/// A table for people of every case and method whose rows have phases.
void print_phases(const Report& report, std::ostream& out);

}  // namespace kaname::bench
