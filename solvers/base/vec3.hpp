// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

namespace kaname {

/// Point or vector in the model frame: x east, y north, z up [m] of the local projection.
struct Vec3 {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;

    double& operator[](int comp) { return comp == 0 ? x : comp == 1 ? y : z; }
    double operator[](int comp) const { return comp == 0 ? x : comp == 1 ? y : z; }
    Vec3& operator+=(const Vec3& b) {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    friend Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
    friend Vec3 operator-(const Vec3& a, const Vec3& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    friend Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
    friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline double dot(const Vec3& a, const Vec3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) {
    return std::sqrt(dot(a, a));
}
inline Vec3 normalized(const Vec3& a) {
    return (1.0 / norm(a)) * a;
}
/// Six times the signed volume of the tetrahedron a b c d.
inline double det6(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return dot(cross(b - a, c - a), d - a);
}

/// Names of the components of a displacement or traction, in their order everywhere.
inline constexpr std::array<const char*, 3> kDirections = {"east", "north", "up"};

/// Sides of the model box.
enum class Side : std::uint8_t { West, East, South, North, Bottom, Top };
inline constexpr int kSideCount = 6;
inline constexpr std::array<const char*, kSideCount> kSideNames = {"west",  "east",   "south",
                                                                   "north", "bottom", "top"};

/// Every third bit of 21.
[[nodiscard]] inline std::uint64_t spread_bits(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    x = (x | x << 2) & 0x1249249249249249;
    return x;
}

/// Place along the curve that visits near points near each other; coordinates of 21 bits.
[[nodiscard]] inline std::uint64_t morton(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}

}  // namespace kaname
