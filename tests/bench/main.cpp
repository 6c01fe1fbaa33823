// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>

#include "solvers/base/error.hpp"
#include "solvers/device/threads.hpp"
#include "tests/bench/machine.hpp"
#include "tests/bench/options.hpp"
#include "tests/bench/phase_rows.hpp"
#include "tests/bench/suites.hpp"

namespace {

using namespace kaname;

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

/// Before minutes of measuring: the file can be written.
std::ofstream open_json(const std::string& path) {
    std::ofstream file(path, std::ios::app);
    if (!file) {
        throw Error(ErrorCode::InvalidArgument, "--json: cannot write '" + path + "'");
    }
    return file;
}

void run_suite(const bench::Options& options) {
    const int threads = options.threads > 0 ? options.threads : device::max_threads();
    device::set_threads(threads);
    if (device::max_threads() != threads) {
        throw Error(ErrorCode::InvalidArgument,
                    "--threads must be 1 in a build without OpenMP, "
                    "got " +
                        std::to_string(threads));
    }
    if (!options.json_path.empty()) {
        open_json(options.json_path);
    }
    if (options.suite == "mesh") {
        bench::check_mesh_options(options);
    }
    bench::Report report;
    report.json_path = options.json_path;
    report.suite = options.suite;
    report.version = KANAME_VERSION;
    report.commit = KANAME_COMMIT;
    report.started = utc_now();
    device::Queue queue(options.device);  // says at once why a GPU cannot be used
    std::fprintf(stderr, "measuring this machine\n");
    report.machine = options.device == device::Backend::Cpu ? bench::measure_machine()
                                                            : bench::measure_gpu(queue);
    device::set_threads(threads);
    std::exception_ptr error;
    try {
        if (options.suite == "kernels") {
            bench::run_kernels(options, queue, report);
        } else if (options.suite == "mesh") {
            bench::run_mesh(options, report);
        } else if (options.suite == "voxelwave") {
            bench::run_voxelwave(options, queue, report);
        } else if (options.suite == "aderdg") {
            bench::run_aderdg(options, queue, report);
        } else if (options.suite == "inversion") {
#ifdef KANAME_BENCH_INVERSION
            bench::run_inversion(options, report);
#else
            throw Error(ErrorCode::Unavailable, "this build has no inversions: it lacks Eigen");
#endif
        } else if (options.suite == "service") {
#ifdef KANAME_BENCH_SERVICE
            bench::run_service(options, report);
#else
            throw Error(ErrorCode::Unavailable, "this build has no service");
#endif
        } else {
            bench::run_viscoelastic(options, report);
        }
    } catch (...) {
        error = std::current_exception();  // after the figures that there are
    }
    print_table(report, std::cout);
    print_phases(report, std::cout);
    save(report);
    if (error) {
        std::cout << std::flush;
        std::rethrow_exception(error);
    }
}

void run(const bench::Options& options) {
    switch (options.action) {
        case bench::Options::Action::Help:
            std::cout << bench::kUsage;
            break;
        case bench::Options::Action::Version:
            std::cout << "kaname-bench " << KANAME_VERSION << "\n";
            break;
        case bench::Options::Action::Compare:
            print_comparison(bench::read_report(options.compare_a),
                             bench::read_report(options.compare_b), std::cout);
            break;
        case bench::Options::Action::Speedups: {
            std::vector<bench::Report> reports;
            for (const std::string& path : options.speedups_of) {
                reports.push_back(bench::read_report(path));
            }
            print_speedups(reports, std::cout);
            break;
        }
        case bench::Options::Action::Run:
            run_suite(options);
            break;
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(bench::parse_options({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)}));
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "kaname-bench: %s\n", error.what());
        if (error.code() == ErrorCode::Unavailable) {
            return 77;  // no such device here: scripts skip
        }
        return error.code() == ErrorCode::InvalidArgument ? 2 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kaname-bench: %s\n", error.what());
        return 1;
    }
}
