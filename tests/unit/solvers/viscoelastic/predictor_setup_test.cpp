// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/stepping/predictor_setup.hpp"

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::predictor_setup_test {
namespace {

TEST(Subdomains, AreAsManyAsComeNearestToTheirSize) {
    comm::SerialComm comm;
    const FaultModel fault(comm);
    const int nodes = fault.model.mesh().n_nodes();
    for (const auto& [size, expected] :
         {std::pair{10 * nodes, 1}, std::pair{nodes * 3 / 4, 1}, std::pair{nodes * 5 / 8, 2},
          std::pair{nodes * 2 / 5, 3}, std::pair{nodes / 5, 5}}) {
        const predictors::Subdomains found = subdomains(fault.model, size);

        EXPECT_EQ(found.size(), expected) << size;
        EXPECT_EQ(found.node.size(), std::size_t(nodes));
    }
}

TEST(Subdomains, AreAsLargeAsThoseOfThePaper) {
    for (const PredictorKind kind :
         {PredictorKind::DataDriven, PredictorKind::DataDrivenPublished}) {
        const int nodes = predictor_params(kind, 1e-8).nodes_per_subdomain;

        EXPECT_NEAR(nodes, 25745.0 / 3.0, 50.0);
        EXPECT_NEAR(nodes, 4.2e9 / 3.0 / 163840.0, 100.0);
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::predictor_setup_test
