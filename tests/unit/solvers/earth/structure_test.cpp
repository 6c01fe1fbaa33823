// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/structure.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::earth::structure_test {
namespace {

LayeredStructure subduction() {
    LayeredStructure structure;
    structure.materials = {{"crust", 30e9, 30e9, 0.0, {}},
                           {"wedge", 60e9, 60e9, 0.0, 6e18},
                           {"slab", 70e9, 70e9, 0.0, {}},
                           {"oceanic", 60e9, 60e9, 0.0, 3e18},
                           {"unused", 60e9, 60e9, 0.0, 1e17}};
    structure.layers = {{0, 30e3}, {1, {}}};
    structure.below_interface = {{2, 35e3}, {3, {}}};
    return structure;
}

TEST(LayeredStructure, CountsDepthFromSeaLevelAboveAndFromInterfaceBelow) {
    const LayeredStructure structure = subduction();

    EXPECT_EQ(structure.material_at(10e3, 50e3), 0);
    EXPECT_EQ(structure.material_at(40e3, 50e3), 1);
    EXPECT_EQ(structure.material_at(51e3, 50e3), 2);
    EXPECT_EQ(structure.material_at(84e3, 50e3), 2);
    EXPECT_EQ(structure.material_at(86e3, 50e3), 3);
}

TEST(LayeredStructure, IgnoresInterfaceWithoutLayersBelowIt) {
    LayeredStructure structure = subduction();
    structure.below_interface.clear();

    EXPECT_EQ(structure.material_at(60e3, 50e3), 1);
}

TEST(LayeredStructure, ListsEachMaterialThatALayerUsesOnce) {
    LayeredStructure structure = subduction();
    structure.below_interface.push_back({1, {}});

    std::string names;
    for (const Material& material : structure.used_materials()) {
        names += material.name + " ";
    }

    EXPECT_EQ(names, "crust wedge slab oceanic ");
}

TEST(LayeredStructure, WithoutLayersEveryMaterialMayBeUsed) {
    LayeredStructure structure = subduction();
    structure.layers.clear();
    structure.below_interface.clear();

    EXPECT_EQ(structure.used_materials().size(), structure.materials.size());
}

TEST(LayeredStructure, RefusesEmptyStack) {
    EXPECT_THROW((void)LayeredStructure{}.material_at(0.0, 0.0), Error);
}

}  // namespace
}  // namespace kaname::earth::structure_test
