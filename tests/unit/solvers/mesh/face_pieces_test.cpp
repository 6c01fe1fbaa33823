// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/mesh/face_set.hpp"

namespace kaname::mesh::face_pieces_test {
namespace {

using Faces = std::vector<std::array<std::int32_t, 3>>;

TEST(FacePieces, EdgesJoinAndVerticesDoNot) {
    const Faces faces = {{0, 1, 2}, {2, 1, 3}, {3, 4, 5}};

    const FacePieces pieces = find_pieces(faces, std::vector<double>{1.0, 1.0, 1.0});

    EXPECT_EQ(pieces.of[0], pieces.of[1]);
    EXPECT_NE(pieces.of[0], pieces.of[2]);
    EXPECT_EQ(pieces.of[pieces.of[2]], pieces.of[2]);
}

TEST(FacePieces, WhatIsUnderAFiftiethOfTheLargestPieceIsAStray) {
    const Faces faces = {{0, 1, 2}, {2, 1, 3}, {7, 8, 9}, {10, 11, 12}};

    const FacePieces pieces = find_pieces(faces, std::vector<double>{25.0, 25.0, 1.0, 0.99});

    EXPECT_EQ(pieces.stray, (std::vector<bool>{false, false, false, true}));
}

TEST(FacePieces, OfNoFacesThereAreNone) {
    const FacePieces pieces = find_pieces({}, {});

    EXPECT_TRUE(pieces.of.empty());
    EXPECT_TRUE(pieces.stray.empty());
}

}  // namespace
}  // namespace kaname::mesh::face_pieces_test
