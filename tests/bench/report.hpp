// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace kaname::bench {

/// Clock measures all times.
using Clock = std::chrono::steady_clock;

/// Figures of this machine that the others are fractions of; measured with all cores.
struct Machine {
    std::string cpu;
    int cores = 0;
    std::string device = {};  ///< a GPU, whose figures the following are; empty: the CPU
    double stream_gb_s = 0.0;
    double fma_gflop_s_fp64 = 0.0;
    double fma_gflop_s_fp32 = 0.0;
};

/// Median of repeated measurements and (max - min) / median.
struct Samples {
    double median = 0.0;
    double spread = 0.0;
    int count = 0;
};
[[nodiscard]] Samples summarize(std::vector<double> values);

/// Runs `work` repeatedly: one warm-up, then seven samples of at least 50 ms each. Seconds per run.
/// `finish` ends a sample: it waits for what `work` only started.
[[nodiscard]] std::vector<double> time_repeated(
    const std::function<void()>& work, const std::function<void()>& finish = [] {});

/// One figure. Field names in files are those of docs/performance.md and do not change.
struct Row {
    std::string model;  ///< "case" in files
    std::string method;
    int vectors = 4;
    int ranks = 1;
    int threads = 1;
    std::int64_t dof = 0;
    std::string metric;
    double value = 0.0;
    std::string unit;
    int samples = 0;
    double spread = 0.0;
};

struct Report {
    std::string suite;
    std::string version;
    std::string commit;
    std::string started;  ///< UTC, "2026-01-31T12:00:00Z"
    Machine machine;
    std::vector<Row> rows;
    std::string json_path = {};  ///< file of `save`; empty: none

    /// Appends a row like `base` with another figure.
    void add(Row base, const std::string& metric, const std::string& unit, const Samples& samples);
};

[[nodiscard]] std::string to_json(const Report& report);
/// Replaces the report's file by what is known so far, so that a run that is cut off leaves that.
/// Throws InvalidArgument when it cannot be written.
void save(const Report& report);
/// Reads what to_json wrote. Throws InvalidArgument naming the file and what is wrong with it.
[[nodiscard]] Report read_report(const std::string& path);

void print_table(const Report& report, std::ostream& out);
/// Both values and B/A of every figure; figures of one file only are listed with it.
/// Throws InvalidArgument when the suites differ.
void print_comparison(const Report& a, const Report& b, std::ostream& out);
/// seconds_per_source_step of every case, method and number of vectors, and over those of `seed`
/// and `default` with the most vectors of that case. Throws InvalidArgument when there are none.
void print_speedups(const std::vector<Report>& reports, std::ostream& out);

}  // namespace kaname::bench
