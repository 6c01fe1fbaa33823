// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "solvers/viscoelastic/stepping/predictor_setup.hpp"
#include "tests/bench/counted.hpp"
#include "tests/bench/lattice.hpp"
#include "tests/bench/quadrature.hpp"
#include "tests/bench/suites.hpp"

namespace kaname::bench {
namespace {

using lanes::kLanes;
using viscoelastic::ElementGroups;

/// Numbers between -1 and 1 that differ from node to node.
double wave(std::size_t i) {
    return std::sin(0.7 * static_cast<double>(i));
}

class Kernels {
public:
    Kernels(const Lattice& lattice, device::Queue& queue, Report& report)
        : lattice_(lattice),
          report_(report),
          queue_(queue),
          dofs_(lattice.mesh),
          model_(lattice.mesh, dofs_, lattice.structure.materials, fixed_sides(), comm_),
          step_(model_.step_moduli(0.1 * lattice.maxwell_time_s, 0.5)),
          n_elem_(model_.mesh().n_tets()),
          n_node_(model_.mesh().n_nodes()) {}

    template <class T>
    void element_operator(const std::string& method,
                          viscoelastic::Scatter scatter = viscoelastic::Scatter::Coloured,
                          viscoelastic::NodeOrder order = viscoelastic::NodeOrder::ByPlaces) {
        ElementGroups<T> elements(model_.mesh(), model_.geometry(), step_.moduli, queue_);
        if (order != viscoelastic::NodeOrder::ByPlaces) {
            std::vector<std::int32_t> conn(elements.conn.size());
            device::download<std::int32_t>(elements.conn, conn, queue_);
            elements.scatter = viscoelastic::BlockScatter(
                viscoelastic::block_nodes(conn, elements.colours, elements.group, order),
                model_.mesh().blocks, elements.group, queue_);
        }
        const auto x = waves<T>(model_.vector_size());
        device::Buffer<T> y(model_.vector_size(), queue_);
        const int colours = static_cast<int>(elements.colours.size());
        const auto apply = [&] {
            viscoelastic::ebe_apply<T>({elements, x, y, 0, colours, {}, scatter}, queue_);
        };
        time(method, apply);
    }

    /// Both passes and the pressures between them.
    template <class T>
    void nodal_operator(const char* method) {
        const viscoelastic::Model model(lattice_.mesh, dofs_, lattice_.structure.materials,
                                        fixed_sides(), comm_,
                                        viscoelastic::Element::NodalDilatation);
        const auto step = model.step_moduli(0.1 * lattice_.maxwell_time_s, 0.5);
        viscoelastic::EbeOperator<T> K(model, step.moduli, queue_);
        const auto x = waves<T>(model.vector_size());
        device::Buffer<T> y(model.vector_size(), queue_);
        const auto viscous = static_cast<double>(std::ranges::count_if(
            model.pressure_nodes()->conn,
            [&](const auto& nodes) { return nodes[0] < model.pressure_nodes()->size(); }));
        // Bytes as for the plain operator; viscous elements bring gradients and connectivity twice,
        // the pressures' connectivity twice and their weight.
        const double bytes = n_elem_ * (40.0 + 11.0 * sizeof(T)) + 4.0 * sizeof(T) * x.size() +
                             viscous * (40.0 + 32.0 + 10.0 * sizeof(T));
        const double flop =
            (operator_flop(false) + 30.0) * n_elem_ +
            (dilatation_flop() + operator_flop(true) - operator_flop(false)) * viscous;
        time(method, kLanes, device::Work::of<T>(bytes, flop * kLanes),
             [&] { K.apply_unconstrained(x, y, queue_); });
    }

    void quadrature_operator() {
        const std::size_t n = static_cast<std::size_t>(n_node_) * 3;
        std::vector<double> x(n);
        std::vector<double> y(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = wave(i);
        }
        check_quadrature(x);
        const viscoelastic::ElementData data{model_.mesh(), model_.geometry(), step_.moduli};
        // Per element connectivity, geometry and two moduli; x read, y read and written.
        const double bytes =
            n_elem_ * (40.0 + sizeof(viscoelastic::ElementGeometry) + 16.0) + 3.0 * 8.0 * n;
        time("ebe_p2_quadrature_fp64", 1,
             device::Work::of<double>(bytes, kQuadratureFlop * n_elem_),
             [&] { quadrature_apply(data, x, y); });
    }

    void p1_matrix() {
        const multigrid::BlockMatrix A = p1_stiffness(model_, step_.moduli);
        time_matrix("bcrs3_p1_fp32", A);
        time_smoothing("bcrs3_chebyshev_fp32", A);
    }

    /// Measures the vector operations of conjugate gradients and smoothing, on vectors of the P2
    /// nodes.
    void vectors() {
        const auto x = waves<double>(model_.vector_size());
        device::Buffer<double> y(x.size(), queue_);
        constexpr lanes::LaneScalars kHalf = lanes::all_lanes(0.5);
        time("axpby_fp64", [&] { lanes::axpby(kHalf, x, kHalf, y, queue_); });
        time("dot_fp64", [&] { (void)lanes::dot(x, y, 3 * kLanes, {}, queue_); });
        const auto D = waves<float>(static_cast<std::size_t>(n_node_) * 9);
        const auto b = waves<float>(x.size());
        device::Buffer<float> next(x.size(), queue_);
        const auto Ax = waves<float>(x.size());
        const auto here = waves<float>(x.size());
        time("chebyshev3_fp32", [&] {
            lanes::chebyshev_step(3, 0.2F, 0.3F, lanes::Previous::Given, D, b, Ax, here, next,
                                  queue_);
        });
    }

    /// The first level of aggregates, six unknowns each.
    void aggregate_matrix() {
        const p2::LocalMesh& mesh = model_.mesh();
        const multigrid::BlockMatrix A = p1_stiffness(model_, step_.moduli);
        multigrid::Items items;
        items.gid = mesh.vertex_gid;
        items.scale.assign(mesh.n_vertices(), 0.0);
        for (const std::int32_t node : mesh.vertex_node) {
            items.centre.push_back(mesh.node_xyz[node]);
        }
        items.halo = mesh.vertex_halo;
        const auto D = multigrid::inverse_diagonal_blocks(A, items.halo, comm_);
        constexpr double kLargestEigenvalue = 2.0;  // near enough for the matrix's shape
        time_matrix("bcrs6_aggregates_fp32",
                    coarsen(A, items, D, model_.boundary().fixed_p1(), kLargestEigenvalue,
                            multigrid::HierarchyParams{}.strength, comm_)
                        .A);
    }

    /// du = increment k of a history that no predictor sees through.
    void increment(int k, device::Buffer<double>& du) {
        std::vector<double> host(du.size());
        for (std::size_t i = 0; i < host.size(); ++i) {
            host[i] = wave(i) + std::sin(0.3 * k + 1e-3 * static_cast<double>(i % 977) * k);
        }
        device::upload<double>(host, du, queue_);
    }

    /// One that knows as much as it keeps; du: the increment after.
    std::unique_ptr<predictors::Predictor> predictor_of(const viscoelastic::PredictorParams& params,
                                                        int columns, device::Buffer<double>& du) {
        auto predictor = viscoelastic::make_predictor(params, model_, comm_, queue_);
        for (int k = 0; k < columns + 5; ++k) {
            increment(k, du);
            predictor->push(du, du, du, queue_);
        }
        increment(columns + 5, du);
        return predictor;
    }

    /// Measures the projection's work in a step: the sketch of the load, the fit and its sum, the
    /// sketch of the residual and taking in the increment.
    void projection() {
        const predictors::ProjectionParams params;
        device::Buffer<double> du(model_.vector_size(), queue_);
        device::Buffer<double> f(model_.vector_size(), queue_);
        const auto predictor = predictor_of(params, params.columns, du);
        increment(1, f);
        const auto n = static_cast<double>(du.size());
        const double columns = params.columns + 2.0;
        // Two sketches, each with its places; the history read and the guess written; the increment
        // and the last two read, a second difference and the increment written.
        time("projection_step", kLanes,
             device::Work::of<double>(
                 n * (2.0 * 9.0 + (4.0 * params.columns + 24.0) + 36.0),
                 kLanes * 2.0 * params.buckets * columns * (columns + 1.0) + 2.0 * columns * n),
             [&] {
                 predictor->predict(du, f, queue_);
                 predictor->push(du, f, f, queue_);
             });
    }

    /// Data-driven predictor: the fit with its Gram-Schmidt and sum, and taking in an increment
    /// with its compression.
    void data_driven() {
        const predictors::DataDrivenParams params;
        device::Buffer<double> du(model_.vector_size(), queue_);
        const auto predictor = predictor_of(params, params.columns, du);
        const auto n = static_cast<double>(du.size());
        const double m = params.rows;
        const double s = params.columns;
        const double subdomain_lanes =
            viscoelastic::subdomains(model_,
                                     viscoelastic::PredictorParams{params}.nodes_per_subdomain)
                .size() *
            static_cast<double>(kLanes);
        // History in FP32 and the last two increments read, the guess written.
        time("gram_schmidt_predict", kLanes,
             device::Work::of<float>(n * (4.0 * s + 24.0),
                                     subdomain_lanes * 2.0 * m * s * (s + 1.0) + 2.0 * s * n),
             [&] { predictor->predict(du, du, queue_); });
        increment(params.columns + 5, du);
        // The increment and the last two read, a second difference and the increment written.
        time("compression_push", kLanes,
             device::Work::of<float>(n * (3.0 * 8.0 + 4.0 + 8.0), 2.0 * m * n),
             [&] { predictor->push(du, du, du, queue_); });
    }

    void stress_update() {
        const auto du = waves<double>(model_.vector_size());
        device::Buffer<double> stress(
            static_cast<std::size_t>(n_elem_) * viscoelastic::kStressPerElement, queue_);
        const viscoelastic::ElementArrays arrays(model_.mesh(), model_.geometry(), queue_);
        const device::Buffer<double> lam(std::span(step_.moduli.lam), queue_);
        const device::Buffer<double> mu(std::span(step_.moduli.mu), queue_);
        const device::Buffer<viscoelastic::Parts> relax(std::span(step_.relax), queue_);
        const viscoelastic::ElementData data = arrays.data(lam, mu);
        time("stress_update", [&] {
            viscoelastic::stress_update({data, relax, {}, du, stress}, queue_);
        });
        device::Buffer<double> f(du.size(), queue_);
        time("stress_step", [&] {
            viscoelastic::stress_step({{data, relax, {}, du, stress}, relax, {}, f}, queue_);
        });
    }

private:
    template <class T>
    device::Buffer<T> waves(std::size_t size) {
        std::vector<T> values(size);
        for (std::size_t i = 0; i < size; ++i) {
            values[i] = static_cast<T>(wave(i));
        }
        return {std::span<const T>(values), queue_};
    }

    void time_matrix(const char* method, const multigrid::BlockMatrix& matrix) {
        const lanes::Bcrs A = matrix.to_float(queue_);
        const auto x = waves<float>(static_cast<std::size_t>(A.n_cols) * matrix.C * kLanes);
        device::Buffer<float> y(x.size(), queue_);
        time(method, [&] { bcrs_apply(A, x, y, false, queue_); });
    }

    /// A Chebyshev step in one pass over a square matrix.
    void time_smoothing(const char* method, const multigrid::BlockMatrix& matrix) {
        const lanes::Bcrs A = matrix.to_float(queue_);
        const auto x = waves<float>(static_cast<std::size_t>(A.n_cols) * matrix.C * kLanes);
        const auto b = waves<float>(x.size());
        const auto D = waves<float>(static_cast<std::size_t>(A.n_cols) * matrix.C * matrix.C);
        device::Buffer<float> next(x.size(), queue_);
        time(method, [&] {
            bcrs_chebyshev_step(A, 0.2F, 0.3F, lanes::Previous::Given, D, b, x, next, queue_);
        });
    }

    /// A comparison with a loop that computes something else would be worth nothing.
    void check_quadrature(const std::vector<double>& x) {
        const ElementGroups<double> elements(model_.mesh(), model_.geometry(), step_.moduli,
                                             queue_);
        device::Buffer<double> x4(model_.vector_size());
        device::Buffer<double> y4(model_.vector_size());
        std::vector<double> y(x.size(), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x4[i * kLanes] = x[i];
        }
        viscoelastic::ebe_apply<double>(
            {elements, x4, y4, 0, static_cast<int>(elements.colours.size())}, queue_);
        quadrature_apply({model_.mesh(), model_.geometry(), step_.moduli}, x, y);
        double off = 0.0;
        double largest = 0.0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            off = std::max(off, std::abs(y[i] - y4[i * kLanes]));
            largest = std::max(largest, std::abs(y[i]));
        }
        constexpr double kRounding = 1e-12;
        if (!(off <= kRounding * largest)) {
            throw Error(ErrorCode::Internal,
                        "quadrature and vertex form differ by " + std::to_string(off / largest));
        }
    }

    /// Four vectors of a kernel that says its work itself.
    void time(const std::string& method, const std::function<void()>& run) {
        device::Phases recorder;
        queue_.record_phases(&recorder);
        run();
        queue_.record_phases(nullptr);
        device::Work work;
        for (const device::Phases::Record& record : recorder.records()) {
            work += record.work;
        }
        time(method, kLanes, work, run);
    }

    /// `work` is that of one call.
    void time(const std::string& method, int vectors, const device::Work& work,
              const std::function<void()>& run) {
        std::fprintf(stderr, "%s %s\n", lattice_.name.c_str(), method.c_str());
        const std::vector<double> seconds = time_repeated(run, [&] { queue_.synchronize(); });
        const Machine& machine = report_.machine;
        Row row;
        row.model = lattice_.name;
        row.method = method;
        row.vectors = vectors;
        row.threads = device::max_threads();
        row.dof = model_.n_dof();
        const auto add = [&](const char* metric, const char* unit, double amount) {
            std::vector<double> rates;
            for (const double s : seconds) {
                rates.push_back(amount / s);
            }
            report_.add(row, metric, unit, summarize(std::move(rates)));
        };
        add("element_vectors_per_s", "1/s", n_elem_ * vectors);
        add("gb_per_s", "GB/s", 1e-9 * work.bytes);
        add("fraction_of_stream", "1", 1e-9 * work.bytes / machine.stream_gb_s);
        add("fraction_of_fma_peak", "1",
            1e-9 * (work.flop_fp32 / machine.fma_gflop_s_fp32 +
                    work.flop_fp64 / machine.fma_gflop_s_fp64));
        save(report_);
    }

    const Lattice& lattice_;
    Report& report_;
    device::Queue& queue_;
    comm::SerialComm comm_;
    p2::DofMap dofs_;
    viscoelastic::Model model_;
    viscoelastic::StepModuli step_;
    double n_elem_;
    double n_node_;
};

}  // namespace

void run_kernels(const Options& options, device::Queue& queue, Report& report) {
    using viscoelastic::NodeOrder;
    using viscoelastic::Scatter;
    const Lattice lattice = make_lattice(options);
    Kernels kernels(lattice, queue, report);
    const bool gpu = queue.backend() == device::Backend::Cuda;
    kernels.element_operator<float>("ebe_p2_fp32");
    kernels.element_operator<double>("ebe_p2_fp64");
    if (gpu) {  // the cases of Yamaguchi et al. (2018), FP32: A with one source, B to D with four
        kernels.element_operator<float>(kLanes == 1 ? "ebe_case_a" : "ebe_case_b",
                                        Scatter::Atomics);
        kernels.element_operator<float>("ebe_case_c", Scatter::BlockAtomics, NodeOrder::Ascending);
        kernels.element_operator<float>("ebe_case_d", Scatter::BlockAtomics);
        kernels.element_operator<double>("ebe_p2_fp64_atomics", Scatter::Atomics);
        kernels.element_operator<double>("ebe_p2_fp64_block_atomics", Scatter::BlockAtomics);
    }
    kernels.nodal_operator<float>("ebe_nodal_fp32");
    kernels.nodal_operator<double>("ebe_nodal_fp64");
    if (!gpu) {
        kernels.quadrature_operator();
    }
    kernels.p1_matrix();
    kernels.aggregate_matrix();
    kernels.projection();
    kernels.data_driven();
    kernels.stress_update();
    kernels.vectors();
}

}  // namespace kaname::bench
