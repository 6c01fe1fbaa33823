// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "solvers/base/error.hpp"
#include "solvers/base/json.hpp"
#include "tests/bench/json_value.hpp"

namespace kaname::bench {

Samples summarize(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    const double median = 0.5 * (values[(n - 1) / 2] + values[n / 2]);
    const double width = values.back() - values.front();
    return {median, width > 0.0 ? width / median : 0.0, static_cast<int>(n)};
}

std::vector<double> time_repeated(const std::function<void()>& work,
                                  const std::function<void()>& finish) {
    constexpr int kSamples = 7;
    constexpr double kShortest_s = 0.05;
    const auto seconds = [&](int runs) {
        const auto start = Clock::now();
        for (int run = 0; run < runs; ++run) {
            work();
        }
        finish();
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    seconds(1);
    int runs = 1;
    while (seconds(runs) < kShortest_s) {
        runs *= 2;
    }
    std::vector<double> samples;
    for (int k = 0; k < kSamples; ++k) {
        samples.push_back(seconds(runs) / runs);
    }
    return samples;
}

void Report::add(Row base, const std::string& metric, const std::string& unit,
                 const Samples& samples) {
    base.metric = metric;
    base.unit = unit;
    base.value = samples.median;
    base.spread = samples.spread;
    base.samples = samples.count;
    rows.push_back(std::move(base));
}

std::string to_json(const Report& report) {
    JsonWriter json;
    json.begin_object();
    json.member("suite", report.suite).member("version", report.version);
    json.member("commit", report.commit).member("started", report.started);
    json.key("machine").begin_object();
    json.member("cpu", report.machine.cpu).member("cores", report.machine.cores);
    if (report.machine.device.empty()) {
        json.key("device").null();
    } else {
        json.member("device", report.machine.device);
    }
    json.member("stream_gb_s", report.machine.stream_gb_s);
    json.member("fma_gflop_s_fp64", report.machine.fma_gflop_s_fp64);
    json.member("fma_gflop_s_fp32", report.machine.fma_gflop_s_fp32);
    json.end_object();
    json.key("rows").begin_array();
    for (const Row& row : report.rows) {
        json.begin_object();
        json.member("case", row.model).member("method", row.method);
        json.member("vectors", row.vectors).member("ranks", row.ranks);
        json.member("threads", row.threads).member("dof", row.dof);
        json.member("metric", row.metric).member("value", row.value).member("unit", row.unit);
        json.member("samples", row.samples).member("spread", row.spread);
        json.end_object();
    }
    json.end_array().end_object();
    return json.text() + "\n";
}

void save(const Report& report) {
    if (report.json_path.empty()) {
        return;
    }
    const std::string part = report.json_path + ".part";
    std::ofstream file(part, std::ios::trunc);
    const bool written = static_cast<bool>(file << to_json(report) << std::flush);
    file.close();
    if (!written || std::rename(part.c_str(), report.json_path.c_str()) != 0) {
        throw Error(ErrorCode::InvalidArgument, "--json: cannot write '" + report.json_path + "'");
    }
}

Report read_report(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw Error(ErrorCode::InvalidArgument, "cannot read '" + path + "'");
    }
    try {
        const JsonValue json = parse_json(text.str());
        Report report;
        report.suite = json.at("suite").as_text();
        report.version = json.at("version").as_text();
        report.commit = json.at("commit").as_text();
        report.started = json.at("started").as_text();
        const JsonValue& machine = json.at("machine");
        report.machine.cpu = machine.at("cpu").as_text();
        report.machine.cores = static_cast<int>(machine.at("cores").as_number());
        if (machine.at("device").kind == JsonValue::Kind::Text) {
            report.machine.device = machine.at("device").as_text();
        }
        report.machine.stream_gb_s = machine.at("stream_gb_s").as_number();
        report.machine.fma_gflop_s_fp64 = machine.at("fma_gflop_s_fp64").as_number();
        report.machine.fma_gflop_s_fp32 = machine.at("fma_gflop_s_fp32").as_number();
        for (const JsonValue& item : json.at("rows").as_array()) {
            Row row;
            row.model = item.at("case").as_text();
            row.method = item.at("method").as_text();
            row.vectors = static_cast<int>(item.at("vectors").as_number());
            row.ranks = static_cast<int>(item.at("ranks").as_number());
            row.threads = static_cast<int>(item.at("threads").as_number());
            row.dof = static_cast<std::int64_t>(item.at("dof").as_number());
            row.metric = item.at("metric").as_text();
            row.value = item.at("value").as_number();
            row.unit = item.at("unit").as_text();
            row.samples = static_cast<int>(item.at("samples").as_number());
            row.spread = item.at("spread").as_number();
            report.rows.push_back(std::move(row));
        }
        return report;
    } catch (const Error& error) {
        throw Error(ErrorCode::InvalidArgument,
                    "'" + path + "' is no file of kaname-bench: " + error.what());
    }
}

}  // namespace kaname::bench
