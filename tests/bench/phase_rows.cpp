// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/phase_rows.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>

namespace kaname::bench {
namespace {

using device::kPhases;
using device::Phase;
using device::Phases;
using device::Work;

constexpr int kNumbers = 4;  // of a record

std::string metric(int phase, const char* what) {
    return "phase_" + std::string(to_string(static_cast<Phase>(phase))) + what;
}

double seconds_of_bytes(const Work& work, const Machine& machine) {
    return 1e-9 * work.bytes / machine.stream_gb_s;
}

double seconds_of_flops(const Work& work, const Machine& machine) {
    return 1e-9 *
           (work.flop_fp32 / machine.fma_gflop_s_fp32 + work.flop_fp64 / machine.fma_gflop_s_fp64);
}

Work total(const Phases::Records& step) {
    Work work;
    for (const Phases::Record& record : step) {
        work += record.work;
    }
    return work;
}

template <class Steps, class Number>
std::vector<double> numbers_of(const Steps& steps, const Number& number) {
    std::vector<double> numbers;
    for (const auto& step : steps) {
        numbers.push_back(number(step.phases));
    }
    return numbers;
}

}  // namespace

PhaseRows::PhaseRows(device::Queue& queue) : queue_(queue) {
    queue_.record_phases(&recorder_);
}

PhaseRows::~PhaseRows() {
    queue_.record_phases(nullptr);
}

void PhaseRows::keep(double step_s, int n_sources, comm::Comm& comm) {
    Phases::Records records = recorder_.records();
    std::array<double, kNumbers*(kPhases + 1)> all{};
    for (std::size_t k = 0; k < records.size(); ++k) {
        const Phases::Record& record = records[k];
        all[kNumbers * k] = record.seconds / comm.size();
        all[kNumbers * k + 1] = record.work.bytes;
        all[kNumbers * k + 2] = record.work.flop_fp32;
        all[kNumbers * k + 3] = record.work.flop_fp64;
    }
    comm.sum(std::span<double>(all));
    for (std::size_t k = 0; k < records.size(); ++k) {
        const double* of = all.data() + kNumbers * k;
        records[k] = {of[0] / n_sources, {of[1] / n_sources, of[2] / n_sources, of[3] / n_sources}};
    }
    kept_.push_back({step_s, records});
}

void PhaseRows::add_to(Report& report, const Row& row) const {
    const Machine& machine = report.machine;
    // The steps that make the median: phases' own medians would not add up to it.
    std::vector<Step> steps = kept_;
    std::ranges::sort(steps, std::less<>(), &Step::seconds);
    const Step &low = steps[(steps.size() - 1) / 2], &high = steps[steps.size() / 2];
    const auto add = [&](const std::string& name, const char* unit, const auto& number) {
        Samples samples = summarize(numbers_of(steps, number));
        samples.median = 0.5 * (number(low.phases) + number(high.phases));
        report.add(row, name, unit, samples);
        return samples.median;
    };
    double sum = 0.0;
    for (int k = 0; k < kPhases; ++k) {
        const auto phase = static_cast<std::size_t>(k);
        sum += add(metric(k, "_s"), "s",
                   [&](const Phases::Records& step) { return step[phase].seconds; });
        add(metric(k, "_bytes"), "B",
            [&](const Phases::Records& step) { return step[phase].work.bytes; });
        add(metric(k, "_floor_s"), "s", [&](const Phases::Records& step) {
            return std::max(seconds_of_bytes(step[phase].work, machine),
                            seconds_of_flops(step[phase].work, machine));
        });
    }
    report.add(row, "phase_sum_over_step", "1",
               summarize({sum / (0.5 * (low.seconds + high.seconds))}));
    add("floor_bytes_s", "s",
        [&](const Phases::Records& step) { return seconds_of_bytes(total(step), machine); });
    add("floor_flops_s", "s",
        [&](const Phases::Records& step) { return seconds_of_flops(total(step), machine); });
}

void print_phases(const Report& report, std::ostream& out) {
    const auto same_line = [](const Row& a, const Row& b) {
        return a.model == b.model && a.method == b.method && a.vectors == b.vectors &&
               a.ranks == b.ranks && a.threads == b.threads;
    };
    const auto line = [&](const auto&... values) {
        char text[256];
        std::snprintf(text, sizeof text, values...);
        out << text;
    };
    for (const Row& first : report.rows) {
        if (first.metric != metric(0, "_s")) {
            continue;
        }
        const auto value = [&](const std::string& name) {
            const auto found = std::ranges::find_if(report.rows, [&](const Row& row) {
                return row.metric == name && same_line(row, first);
            });
            return found == report.rows.end() ? 0.0 : found->value;
        };
        const double step = value("seconds_per_source_step");
        line("\n%s %s, per source and step, %d ranks x %d threads\n", first.model.c_str(),
             first.method.c_str(), first.ranks, first.threads);
        line("%-18s %10s %6s %10s %8s %10s %6s\n", "phase", "s", "%", "MB", "GB/s", "floor s", "x");
        const auto row = [&](const std::string& name, double s, double bytes, double floor) {
            line("%-18s %10.3g %6.1f %10.3f %8.1f %10.3g %6.1f\n", name.c_str(), s,
                 100.0 * s / step, 1e-6 * bytes, s > 0.0 ? 1e-9 * bytes / s : 0.0, floor,
                 floor > 0.0 ? s / floor : 0.0);
        };
        double bytes = 0.0;
        for (int phase = 0; phase < kPhases; ++phase) {
            bytes += value(metric(phase, "_bytes"));
            row(std::string(to_string(static_cast<Phase>(phase))), value(metric(phase, "_s")),
                value(metric(phase, "_bytes")), value(metric(phase, "_floor_s")));
        }
        row("step", step, bytes, std::max(value("floor_bytes_s"), value("floor_flops_s")));
        line("phases' sum over the step %.3f; floors: bytes %.3g s, flops %.3g s\n",
             value("phase_sum_over_step"), value("floor_bytes_s"), value("floor_flops_s"));
    }
}

}  // namespace kaname::bench
