// SPDX-License-Identifier: BSD-3-Clause
// Small jobs through mesh, solve and package: what the dataset says is what the solver found.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "solvers/io/source_file.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/convergence/half_space.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::dataset_test {
namespace {

TEST_F(Dataset, EastAndNorthAreTrueFarFromTheProjectionsCentre) {
    far_east();
    mesh();
    solve();

    const GreensDataset data = package();

    const earth::Projection projection({135.0, kLat_deg});
    ASSERT_EQ(data.stations.size(), 3u);
    for (std::size_t k = 0; k < data.stations.size(); ++k) {
        EXPECT_EQ(data.stations[k].id, job_.stations[k].id);
        // True north on the map, by stepping along the meridian.
        constexpr double kStep_deg = 1e-4;
        const auto& at = data.stations[k];
        const auto south = projection.forward({at.snapped_lon_deg, at.snapped_lat_deg - kStep_deg});
        const auto north = projection.forward({at.snapped_lon_deg, at.snapped_lat_deg + kStep_deg});
        const Vec3 to_north = normalized({north.x_m - south.x_m, north.y_m - south.y_m, 0.0});
        EXPECT_GT(std::abs(to_north.x), std::sin(2.0 * kDegree));
        for (std::size_t s = 0; s < data.sources.size(); ++s) {
            const auto result =
                io::read_source_result(jobs::source_path(path("work"), data.sources[s].id));
            for (std::size_t t = 0; t < data.epochs_s.size(); ++t) {
                const double* grid = result.displacement_m.data() + 3 * (t * 3 + k);
                const Vec3 u{grid[0], grid[1], grid[2]};
                const Vec3 wanted{u.x * to_north.y - u.y * to_north.x,
                                  u.x * to_north.x + u.y * to_north.y, u.z};
                const Vec3 found = value(data, s, t, k);
                EXPECT_GT(norm(found), 1e-3);
                EXPECT_LT(norm(found - wanted), 1e-6 * norm(wanted));
            }
        }
    }
    // Beside the middle of a vertical strike-slip fault nothing moves to the east or up (1 % on
    // this mesh; on the grid's axes 4.4 % to the east).
    for (const std::size_t station : {0u, 1u}) {
        const Vec3 u = value(data, 0, 0, station);
        EXPECT_LT(std::hypot(u.x, u.z), 0.016 * std::abs(u.y));
        EXPECT_EQ(u.y < 0.0, station == 1);
    }
    EXPECT_NEAR(std::remainder(data.sources[0].strike_deg, 360.0), 0.0, 1e-6);
    EXPECT_NEAR(data.sources[0].lon_deg, 139.5, 1e-9);
}

TEST_F(Dataset, StationsKeepTheirOrderAndBothPositions) {
    far_east();
    job_.time.end_s = 0.0;  // coseismic only
    // With the fault at 135 km from the east side the eastern station moves 3.3 % less.
    job_.region.size_east_m = 1800e3;
    mesh();
    solve();

    const GreensDataset data = package();

    ASSERT_EQ(data.stations.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(data.stations[k].id, job_.stations[k].id);
        EXPECT_EQ(data.stations[k].lon_deg, job_.stations[k].lon_deg);
        EXPECT_EQ(data.stations[k].lat_deg, job_.stations[k].lat_deg);
        EXPECT_EQ(data.stations[k].depth_m, job_.stations[k].depth_m.value_or(0.0));
        EXPECT_NEAR(data.stations[k].snapped_lon_deg, job_.stations[k].lon_deg, 1e-9);
        EXPECT_NEAR(data.stations[k].snapped_depth_m, 0.0, 1e-6);
    }
    EXPECT_EQ(data.stations[1].depth_m, -800.0);
    const Vec3 east = value(data, 0, 0, 0);
    const Vec3 west = value(data, 0, 0, 1);
    EXPECT_NEAR(norm(east), norm(west), 0.005 * norm(east));
}

TEST_F(Dataset, EpochsBetweenStepsFollowTheSameCurve) {
    far_east();
    mesh();
    solve();
    const GreensDataset steps = package();
    ASSERT_EQ(steps.epochs_s.size(), 7u);

    job_.time.epochs_s = {4e7, 3e7, 1.2e8, 0.0};
    const GreensDataset data = package();

    for (std::size_t s = 0; s < 2; ++s) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto at = [&](std::size_t step) { return value(steps, s, step, k); };
            const double change = norm(at(6) - at(0));
            EXPECT_GT(change, 1e-4);
            EXPECT_LT(norm(value(data, s, 0, k) - at(2)), 1e-12);
            EXPECT_LT(norm(value(data, s, 2, k) - at(6)), 1e-12);
            EXPECT_LT(norm(value(data, s, 3, k) - at(0)), 1e-12);
            // Half way between steps 1 and 2: the cubic through steps 0 to 3.
            const Vec3 middle = (-1.0 / 16.0) * (at(0) + at(3)) + (9.0 / 16.0) * (at(1) + at(2));
            EXPECT_LT(norm(value(data, s, 1, k) - middle), 1e-9 * norm(middle));
            const Vec3 line = 0.5 * (at(1) + at(2));
            EXPECT_LT(norm(value(data, s, 1, k) - line), 0.1 * change);
        }
    }
}

TEST_F(Dataset, MissingAndFailedSourcesAreSaidAndHoldNoNumbers) {
    far_east();
    job_.solver.max_iterations = 2;
    mesh();

    const auto failed = solve();
    std::filesystem::remove(jobs::source_path(path("work"), "s00d00/dip_slip"));
    const GreensDataset data = package();

    EXPECT_EQ(failed.sources_failed, 2);
    EXPECT_EQ(summary_.sources_failed, 1);
    EXPECT_EQ(summary_.sources_missing, 1);
    EXPECT_EQ(summary_.sources_done, 0);
    ASSERT_EQ(data.sources.size(), 2u);
    EXPECT_EQ(data.sources[0].status, 2);
    EXPECT_NE(data.sources[0].failure.find("2 iterations"), std::string::npos)
        << data.sources[0].failure;
    EXPECT_EQ(data.sources[1].status, 0);
    EXPECT_EQ(data.iterations[data.step_time_s.size()], -1);
    for (const double u : data.greens) {
        EXPECT_TRUE(std::isnan(u));
    }
}

TEST_F(Dataset, OnlyMissingSourcesAreSolvedAgain) {
    far_east();
    job_.time.end_s = 0.0;  // coseismic only
    mesh();
    solve();
    const GreensDataset before = package();
    std::filesystem::remove(jobs::source_path(path("work"), "s00d00/strike_slip"));

    const auto again = solve();

    EXPECT_EQ(again.sources_reused, 1);
    EXPECT_EQ(again.sources_done, 1);
    const GreensDataset after = package();
    double largest = 0.0;
    double difference = 0.0;
    for (std::size_t k = 0; k < before.greens.size(); ++k) {
        largest = std::max(largest, std::abs(before.greens[k]));
        difference = std::max(difference, std::abs(before.greens[k] - after.greens[k]));
    }
    EXPECT_LT(difference, 10.0 * job_.solver.tolerance * largest);
}

TEST_F(Dataset, HatOnAGriddedInterfaceMovesTheSurfaceLikeOkada) {
    // Interface that dips to the east from its grid; 20 km deep under the region's centre.
    constexpr double kDip_deg = 17.0;
    constexpr double kDepth_m = 20e3;
    constexpr double kHat_m = 20e3;
    const double km_per_degree = 111.3195 * 0.8305;  // length of a degree of longitude at 34 N
    {
        std::ofstream csv(path("slab.csv"));
        csv << "lon_deg,lat_deg,depth_km\n";
        for (int j = 0; j <= 40; ++j) {
            for (int i = 0; i <= 40; ++i) {
                const double lon = 133.0 + 0.1 * i;
                const double depth_km =
                    kDepth_m / 1e3 + std::tan(kDip_deg * kDegree) * (lon - 135.0) * km_per_degree;
                csv << lon << ',' << 32.0 + 0.1 * j << ',' << std::max(depth_km, 1.0) << '\n';
            }
        }
    }
    job_.region = {135.0, kLat_deg, 320e3, 320e3, 160e3, 0.0};
    jobs::InterfaceGeometry interface;
    interface.surface_path = path("slab.csv");
    interface.min_depth_m = 5e3;
    interface.max_depth_m = 60e3;
    interface.origin_lon_deg = 135.0;
    interface.origin_lat_deg = kLat_deg;
    interface.strike_deg = 0.0;
    interface.hat = fault::Hat::Bilinear;
    interface.spacing_strike_m = interface.spacing_dip_m = kHat_m;
    job_.fault = interface;
    job_.mesh.size_at_fault_m = 8e3;
    job_.mesh.size_far_m = 40e3;
    job_.stations = {{"above", 135.0, kLat_deg, std::nullopt, ""},
                     {"updip", 134.8, 34.05, std::nullopt, ""},
                     {"side", 135.1, 34.2, std::nullopt, ""}};
    mesh();
    const auto solved = solve();

    const GreensDataset data = package();

    EXPECT_EQ(solved.sources_done, 2);
    EXPECT_EQ(data.epochs_s.size(), 1u);  // elastic
    EXPECT_NEAR(data.sources[0].depth_m, kDepth_m, 50.0);
    EXPECT_NEAR(data.sources[0].dip_deg, kDip_deg, 0.2);
    EXPECT_NEAR(std::remainder(data.sources[0].strike_deg, 360.0), 0.0, 0.5);
    Rectangle r{2.0 * kHat_m, 2.0 * kHat_m, 0.0, kDip_deg};
    r.top_m = kDepth_m - kHat_m * std::sin(r.dip());
    const VaryingSlip exact(
        r,
        [](double s, double d) {
            return std::max(0.0, 1.0 - std::abs(s) / kHat_m) *
                   std::max(0.0, 1.0 - std::abs(d - kHat_m) / kHat_m);
        },
        24, 24);
    const earth::Projection projection({135.0, kLat_deg});
    // Sides held 160 km away and cells of 8 km: up to 5 %.
    for (std::size_t k = 0; k < 3; ++k) {
        const auto at = projection.forward({job_.stations[k].lon_deg, job_.stations[k].lat_deg});
        const auto both = exact.displacement({at.x_m, at.y_m, 0.0});
        for (int lane = 0; lane < 2; ++lane) {
            const Vec3& wanted = both[lane];
            const Vec3 found = value(data, lane, 0, k);
            EXPECT_LT(norm(found - wanted), 0.08 * norm(wanted))
                << job_.stations[k].id << ' ' << data.sources[lane].id << " got " << found.x << ' '
                << found.y << ' ' << found.z << " not " << wanted.x << ' ' << wanted.y << ' '
                << wanted.z;
        }
    }
}

TEST_F(Dataset, NewStationsAreInterpolatedFromTheStoredSurface) {
    far_east();
    std::get<jobs::PlaneGeometry>(job_.fault).top_depth_m = 0.0;  // two sides at the surface
    mesh();
    job_.stations.push_back({"near", 139.53, 34.03, std::nullopt, "stations[3]"});
    const std::vector<jobs::Station> all = job_.stations;
    solve();
    const GreensDataset direct = package();
    std::filesystem::remove_all(path("work"));
    std::filesystem::create_directories(path("work"));
    job_.stations = {all[0]};
    solve();

    job_.stations = all;
    const GreensDataset interpolated = package();

    ASSERT_EQ(summary_.sources_done, 2);
    double largest = 0.0;
    for (std::size_t k = 0; k < direct.greens.size(); ++k) {
        largest = std::max(largest, std::abs(direct.greens[k]));
    }
    for (std::size_t k = 0; k < direct.greens.size(); ++k) {
        // FP32 of the surface field; the solves themselves are the same.
        EXPECT_NEAR(interpolated.greens[k], direct.greens[k], 2e-7 * largest) << k;
    }
    job_.stations.push_back({"deep", 139.8, kLat_deg, 5e3, "stations[4]"});
    const GreensDataset buried = package();
    EXPECT_EQ(summary_.sources_missing, 2);
    EXPECT_NE(buried.sources[0].failure.find("'deep'"), std::string::npos);
}

TEST_F(Dataset, WithoutSurfaceOnlyTheStationsAreStored) {
    far_east();
    job_.output.surface = false;
    mesh();
    solve();
    const auto files = stages().find_results(job_, path("work"));

    const io::SourceResult result = io::read_source_result(files.begin()->second);

    EXPECT_TRUE(result.surface_m.empty());
    EXPECT_EQ(result.station_xyz_m.size(), 9u);
}

TEST_F(Dataset, SlicesAreBlocksOfTheWhole) {
    far_east();
    mesh();
    solve();
    const GreensDataset data = package();
    const io::IndexRange all;

    const io::GreensSlice slice =
        io::read_greens_slice(path("greens.h5"), {1, 1, 1}, {0, 0, 2}, {2, 1, 1});

    EXPECT_EQ(slice.sources, std::vector{data.sources[1].id});
    EXPECT_EQ(slice.stations, std::vector<std::string>{"corner"});
    ASSERT_EQ(slice.epochs_s.size(), (data.epochs_s.size() + 1) / 2);
    for (std::size_t t = 0; t < slice.epochs_s.size(); ++t) {
        EXPECT_EQ(slice.epochs_s[t], data.epochs_s[2 * t]);
        EXPECT_EQ(slice.greens[3 * t], value(data, 1, 2 * t, 2).x);
    }
    const auto code_of = [&](const io::IndexRange& stations) {
        try {
            (void)io::read_greens_slice(path("greens.h5"), all, all, stations);
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::Internal;
    };
    EXPECT_EQ(code_of({3, 0, 1}), ErrorCode::OutOfRange);
    EXPECT_EQ(code_of({0, 4, 1}), ErrorCode::OutOfRange);
    EXPECT_EQ(code_of({0, 1, 0}), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace kaname::convergence::dataset_test

#endif
