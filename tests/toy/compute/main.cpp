// SPDX-License-Identifier: BSD-3-Clause
// kaname-compute with one more kind of request.
#include <array>

#include "tests/toy/compute/half_space_verbs.hpp"
#include "worker/compute/compute_main.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

int main(int argc, char** argv) {
    using namespace kaname;
    const std::array<const compute::Kind*, 2> kinds = {&compute::greens_kind(),
                                                       &toy::half_space_verbs()};
    return compute::compute_main(argc, argv, kinds);
}
