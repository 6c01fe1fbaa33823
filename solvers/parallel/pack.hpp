// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <cstring>

#include "solvers/base/simd.hpp"

namespace kaname {

#ifdef __AVX512F__
inline constexpr int kPackBytes = 64;
#else
inline constexpr int kPackBytes = 32;  // twice that is slower in two registers than in one each
#endif

/// Numbers that one register advances together.
template <class T>
inline constexpr int kPack = kPackBytes / static_cast<int>(sizeof(T));

template <class T>
struct Pack {
    typedef T Register __attribute__((vector_size(kPackBytes)));
    Register v{};

    T operator[](int k) const { return v[k]; }
    void set(int k, T value) { v[k] = value; }
    Pack& operator+=(const Pack& other) {
        v += other.v;
        return *this;
    }
    friend Pack operator+(const Pack& a, const Pack& b) { return {a.v + b.v}; }
    friend Pack operator-(const Pack& a, const Pack& b) { return {a.v - b.v}; }
    friend Pack operator*(const Pack& a, const Pack& b) { return {a.v * b.v}; }
    friend Pack operator*(T a, const Pack& b) { return {a * b.v}; }
    friend Pack operator+(T a, const Pack& b) { return {a + b.v}; }
};

template <class T>
inline Pack<T> load_pack(const T* from) {
    Pack<T> pack;
    std::memcpy(&pack.v, from, sizeof pack.v);
    return pack;
}

template <class T>
inline void store_pack(T* to, const Pack<T>& pack) {
    std::memcpy(to, &pack.v, sizeof pack.v);
}

/// The functions here are those of arithmetic with decisions on packs, most of them for double
/// only: comparisons, choices lane by lane, quotients, roots, and the exponents of numbers.

/// Lanes for which something holds: all bits set, or none.
struct PackMask {
    typedef long long Register __attribute__((vector_size(kPackBytes)));
    Register v{};

    bool operator[](int k) const { return v[k] != 0; }
    friend PackMask operator&(const PackMask& a, const PackMask& b) { return {a.v & b.v}; }
    friend PackMask operator|(const PackMask& a, const PackMask& b) { return {a.v | b.v}; }
    friend PackMask operator!(const PackMask& a) { return {~a.v}; }
};

inline PackMask operator<(const Pack<double>& a, const Pack<double>& b) {
    return {(PackMask::Register)(a.v < b.v)};
}
inline Pack<double> operator-(const Pack<double>& a) {
    return {-a.v};
}
inline Pack<double> operator-(double a, const Pack<double>& b) {
    return {a - b.v};
}
inline Pack<double> operator/(const Pack<double>& a, const Pack<double>& b) {
    return {a.v / b.v};
}

inline bool any(const PackMask& mask) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)mask.v, (__m512i)mask.v) != 0;
#elif defined(__AVX__)
    return _mm256_testz_si256((__m256i)mask.v, (__m256i)mask.v) == 0;
#else
    long long all = 0;
    for (int k = 0; k < kPack<double>; ++k) {
        all |= mask.v[k];
    }
    return all != 0;
#endif
}

/// yes where mask holds, no elsewhere.
inline Pack<double> select(const PackMask& mask, const Pack<double>& yes, const Pack<double>& no) {
    return {mask.v ? yes.v : no.v};
}
/// a < b ? a : b, and a < b ? b : a.
inline Pack<double> smaller(const Pack<double>& a, const Pack<double>& b) {
#ifdef __AVX512F__
    return {(Pack<double>::Register)_mm512_maskz_min_pd(0xFF, (__m512d)a.v, (__m512d)b.v)};
#else
    return {a.v < b.v ? a.v : b.v};
#endif
}
inline Pack<double> larger(const Pack<double>& a, const Pack<double>& b) {
#ifdef __AVX512F__
    return {(Pack<double>::Register)_mm512_maskz_max_pd(0xFF, (__m512d)b.v, (__m512d)a.v)};
#else
    return {a.v < b.v ? b.v : a.v};
#endif
}

inline Pack<double> square_root(const Pack<double>& a) {
    Pack<double> root;
#if defined(__AVX512F__)
    root.v = (Pack<double>::Register)_mm512_maskz_sqrt_pd(0xFF, (__m512d)a.v);
#elif defined(__AVX__)
    root.v = (Pack<double>::Register)_mm256_sqrt_pd((__m256d)a.v);
#else
    for (int k = 0; k < kPack<double>; ++k) {
        root.v[k] = std::sqrt(a.v[k]);
    }
#endif
    return root;
}

// Packs of float have the following functions too, without masks.
inline Pack<float> operator/(const Pack<float>& a, const Pack<float>& b) {
    return {a.v / b.v};
}
inline Pack<float> larger(const Pack<float>& a, const Pack<float>& b) {
#ifdef __AVX512F__
    return {(Pack<float>::Register)_mm512_maskz_max_ps(0xFFFF, (__m512)b.v, (__m512)a.v)};
#else
    return {a.v < b.v ? b.v : a.v};
#endif
}
inline Pack<float> square_root(const Pack<float>& a) {
    Pack<float> root;
#if defined(__AVX512F__)
    root.v = (Pack<float>::Register)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)a.v);
#elif defined(__AVX__)
    root.v = (Pack<float>::Register)_mm256_sqrt_ps((__m256)a.v);
#else
    for (int k = 0; k < kPack<float>; ++k) {
        root.v[k] = std::sqrt(a.v[k]);
    }
#endif
    return root;
}

/// 2^k of k + 1.5 2^52, whose last bits are those of the whole number k, -1022 <= k <= 1023.
inline Pack<double> power_of_two(const Pack<double>& shifted) {
    return {(Pack<double>::Register)(((PackMask::Register)shifted.v << 52) + (1023LL << 52))};
}

/// a = m 2^k of a normal number > 0, sqrt(1/2) <= m < sqrt(2) to seven digits; m, and k to
/// `exponent`.
inline Pack<double> mantissa(const Pack<double>& a, Pack<double>& exponent) {
    constexpr long long kRootOfHalf = 0x3FE6A09E00000000, kShift = 0x4338000000000000;
    const auto bits = (PackMask::Register)a.v;
    const PackMask::Register k = (bits - kRootOfHalf) >> 52;
    exponent.v = (Pack<double>::Register)(k + kShift) - 0x1.8p52;
    return {(Pack<double>::Register)(bits - (k << 52))};
}

}  // namespace kaname
