// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <ostream>
#include <tuple>

#include "solvers/base/error.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {
namespace {

template <class... Values>
std::string text(const char* format, const Values&... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

auto key(const Row& row) {
    return std::tie(row.model, row.method, row.vectors, row.ranks, row.threads, row.metric);
}

const Row* find(const Report& report, const Row& wanted) {
    for (const Row& row : report.rows) {
        if (key(row) == key(wanted)) {
            return &row;
        }
    }
    return nullptr;
}

std::string machine_line(const Report& report) {
    const Machine& m = report.machine;
    const bool gpu = !m.device.empty();
    const std::string what = gpu ? m.device : text("%s, %d cores", m.cpu.c_str(), m.cores);
    return text("%s: %s %.1f GB/s, FMA %.0f GFLOP/s FP64, %.0f GFLOP/s FP32\n", what.c_str(),
                gpu ? "copy" : "triad", m.stream_gb_s, m.fma_gflop_s_fp64, m.fma_gflop_s_fp32);
}

std::string origin_line(const char* name, const Report& report) {
    return text("%s: %s %s, %s, ", name, report.version.c_str(),
                report.commit.empty() ? "(no commit)" : report.commit.c_str(),
                report.started.c_str()) +
           machine_line(report);
}

}  // namespace

void print_table(const Report& report, std::ostream& out) {
    out << machine_line(report);
    out << text("%-14s %-22s %3s %3s %8s  %-26s %11s %-10s %3s %6s\n", "case", "method", "vec",
                "thr", "dof", "metric", "value", "unit", "n", "spread");
    for (const Row& row : report.rows) {
        out << text("%-14s %-22s %3d %3d %8lld  %-26s %11.4g %-10s %3d %6.3f\n", row.model.c_str(),
                    row.method.c_str(), row.vectors, row.threads, static_cast<long long>(row.dof),
                    row.metric.c_str(), row.value, row.unit.c_str(), row.samples, row.spread);
    }
}

void print_comparison(const Report& a, const Report& b, std::ostream& out) {
    if (a.suite != b.suite) {
        throw Error(ErrorCode::InvalidArgument, "compare needs two files of one suite, got '" +
                                                    a.suite + "' and '" + b.suite + "'");
    }
    out << origin_line("A", a) << origin_line("B", b);
    out << text("%-14s %-22s %3s  %-26s %11s %11s %8s\n", "case", "method", "thr", "metric", "A",
                "B", "B/A");
    const auto start = [&](const Row& row) {
        return text("%-14s %-22s %3d  %-26s ", row.model.c_str(), row.method.c_str(), row.threads,
                    row.metric.c_str());
    };
    for (const Row& row : a.rows) {
        const Row* other = find(b, row);
        out << start(row)
            << (other != nullptr ? text("%11.4g %11.4g %8.3f\n", row.value, other->value,
                                        other->value / row.value)
                                 : text("%11.4g %11s\n", row.value, "-"));
    }
    for (const Row& row : b.rows) {
        if (find(a, row) == nullptr) {
            out << start(row) << text("%11s %11.4g\n", "-", row.value);
        }
    }
}

void print_speedups(const std::vector<Report>& reports, std::ostream& out) {
    std::vector<Row> lines;
    for (const Report& report : reports) {
        std::ranges::copy_if(report.rows, std::back_inserter(lines), [](const Row& row) {
            return row.metric == "seconds_per_source_step" && row.value > 0.0;
        });
    }
    if (lines.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "speedups needs files of the viscoelastic suite: none has a "
                    "seconds_per_source_step");
    }
    std::ranges::stable_sort(lines, std::less<>(), &Row::model);
    const auto over = [&](const Row& line, const char* method) -> std::string {
        const Row* best = nullptr;
        for (const Row& other : lines) {
            if (other.model == line.model && other.method == method &&
                (best == nullptr || other.vectors > best->vectors)) {
                best = &other;
            }
        }
        return best == nullptr ? "-" : text("%.3gx", line.value / best->value);
    };
    out << text("%-14s %-22s %3s %11s %10s %10s\n", "case", "method", "vec", "s", "/ seed",
                "/ default");
    for (const Row& line : lines) {
        out << text("%-14s %-22s %3d %11.4g %10s %10s\n", line.model.c_str(), line.method.c_str(),
                    line.vectors, line.value, over(line, "seed").c_str(),
                    over(line, "default").c_str());
    }
}

}  // namespace kaname::bench
