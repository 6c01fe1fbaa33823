// SPDX-License-Identifier: BSD-3-Clause
// The speed of a Rayleigh wave along the free surface of voxels. It starts as the wave itself, all
// of a wave packet, so that no other wave comes with it but what the grid makes of it.
#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/device/threads.hpp"
#include "solvers/voxelwave/element_matrices.hpp"
#include "solvers/voxelwave/wave_solver.hpp"
#include "tests/convergence/half_space.hpp"
#include "tests/convergence/rayleigh.hpp"

namespace kaname::convergence::voxel_rayleigh_test {
namespace {

using voxelwave::Solid;
using voxelwave::Variant;

// Lengths in wavelengths at the packet's centre, c_s = 1.
constexpr double kStart = 3.3;
constexpr double kDepth = 3.0;
constexpr double kCourant = 0.6;  // dt c_p/ds
constexpr double kWavenumber = RayleighPacket::kWavenumber;

struct Case {
    Variant variant;
    double poisson;
    int points;       ///< voxels in a wavelength
    double across;    ///< width of the box; 0: one voxel
    double from, to;  ///< wavelengths that the packet has gone
};

/// Phase speed over Rayleigh's, less 1: from what exp(-i k x) has of the vertical displacement
/// along a line of the surface, at two times at which the whole packet is on the line.
double too_fast(const Case& of) {
    device::set_threads(1);
    const RayleighPacket packet(of.poisson, kStart);
    const double ds = 1.0 / of.points;
    voxelwave::WaveParams params;
    params.variant = of.variant;
    params.dt_s = kCourant * ds / packet.c_p;
    const double length = std::ceil(2.0 * kStart + of.to);
    const voxelwave::VoxelModel model =
        voxelwave::Shapes({length, of.across == 0.0 ? ds : of.across, kDepth}, ds,
                          Solid::of_speeds(packet.c_p, 1.0, 1.0))
            .model();
    voxelwave::WaveSolver<double> solver(model, params, std::vector<voxelwave::PointSource>(1), {});
    solver.resume(packet.at(model, 0.0), packet.at(model, -params.dt_s), 0);
    const auto on_line = [&] {
        std::complex<double> sum;
        for (int x = 0; x <= model.voxels[0]; ++x) {
            sum += std::polar(1.0, -kWavenumber * x * ds) *
                   solver.displacement().of(2, x, model.voxels[1] / 2, 0, 0);
        }
        return sum;
    };
    while (solver.time_s() * packet.c_r < of.from) {
        solver.step();
    }
    double phase = 0.0;
    const double start_s = solver.time_s();
    for (auto last = on_line(); solver.time_s() * packet.c_r < of.to;) {
        solver.step();
        const auto now = on_line();
        phase += std::arg(now / last);
        last = now;
    }
    return -phase / (kWavenumber * (solver.time_s() - start_s)) / packet.c_r - 1.0;
}

/// Looks at what the speed is off by, in (k ds)^2, at two spacings, and the order between them.
void look(Case of, int fine_points, double coarse, double fine, double order) {
    double off[2];
    const int points[2] = {of.points, fine_points};
    for (int k = 0; k < 2; ++k) {
        of.points = points[k];
        const double unit = std::pow(kWavenumber / of.points, 2);
        off[k] = too_fast(of);
        testing::Test::RecordProperty(std::to_string(of.points) + "_points",
                                      std::to_string(off[k] / unit) + " (k ds)^2");
        EXPECT_NEAR(off[k] / unit, k == 0 ? coarse : fine, 3e-4) << of.points << " points";
    }
    EXPECT_NEAR(observed_order(1.0 / points[0], off[0], 1.0 / points[1], off[1]), order, 0.02);
}

// In a plate of one voxel without sideways strain.
TEST(VoxelRayleigh, SlowerBySquareOfSpacingByVfem) {
    look({Variant::Vfem, 0.0, 16, 0.0, 1.0, 3.0}, 32, -0.0248, -0.0246, 2.01);
}

TEST(VoxelRayleigh, FasterBySquareOfSpacingByOvfem) {
    look({Variant::OvfemWalsh, 0.0, 24, 0.0, 2.0, 4.0}, 48, 0.0298, 0.0310, 1.94);
}

// In boxes so wide that nothing comes from the sides to the line.
TEST(VoxelRayleigh, OfPoissonsRatioAQuarterByVfem) {
    look({Variant::Vfem, 0.25, 8, 6.0, 0.5, 1.5}, 16, -0.0227, -0.0223, 2.02);
}

// At these spacings not yet of second order. Takes longest; OVFEM of this solid is held by Lamb's
// problem in every run, which would not find a speed that is off by a part in a thousand.
TEST(VoxelRayleighLong, OfPoissonsRatioAQuarterByOvfem) {
    look({Variant::OvfemWalsh, 0.25, 12, 7.0, 1.0, 2.0}, 24, 0.0114, 0.0159, 1.515);
}

}  // namespace
}  // namespace kaname::convergence::voxel_rayleigh_test
