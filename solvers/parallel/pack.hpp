// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

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

}  // namespace kaname
