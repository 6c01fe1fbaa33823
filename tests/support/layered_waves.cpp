// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/layered_waves.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::test {
namespace {

using Complex = std::complex<double>;
using Matrix = std::array<std::array<Complex, 2>, 2>;
using Vector = std::array<Complex, 2>;

Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
        }
    }
    return c;
}
Vector operator*(const Matrix& a, const Vector& x) {
    return {a[0][0] * x[0] + a[0][1] * x[1], a[1][0] * x[0] + a[1][1] * x[1]};
}
/// a + factor b
Matrix sum(const Matrix& a, Complex factor, const Matrix& b) {
    Matrix c = a;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            c[i][j] += factor * b[i][j];
        }
    }
    return c;
}
Matrix inverse(const Matrix& a) {
    const Complex det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    return {{{a[1][1] / det, -a[0][1] / det}, {-a[1][0] / det, a[0][0] / det}}};
}

// The two solutions of d(S, N)/dz = k (tau_kk, -S), S = mu (V' - k U), N = (lambda + 2 mu) U' +
// lambda k V, that decay downwards, x = k z below where they have size one:
//   (1, 1, -2 mu, -2 mu) exp(-x),   (x, 1 + 2 beta + x, -2 mu (beta + x), -2 mu (1 + beta + x))
//   exp(-x)
// of (V, U, S/k, N/k). Those that decay upwards are their mirror image: U and S change sign.

Matrix displacement(Complex beta, double x) {
    const double e = std::exp(-x);
    return {{{e, e * x}, {e, e * (1.0 + 2.0 * beta + x)}}};
}
Matrix traction(Complex mu, Complex beta, double x) {
    const Complex e = -2.0 * mu * std::exp(-x);
    return {{{e, e * (beta + x)}, {e, e * (1.0 + beta + x)}}};
}
Matrix mirrored(Matrix m, int row) {
    m[row][0] = -m[row][0];
    m[row][1] = -m[row][1];
    return m;
}

}  // namespace

Moduli moduli_at(const MaxwellLayer& layer, std::optional<Complex> s) {
    const double kappa = layer.lambda_pa + 2.0 / 3.0 * layer.mu_pa;
    Complex mu = layer.mu_pa;
    if (s) {
        Complex soft = *s + layer.mu_pa / layer.viscosity_pa_s;
        if (std::isfinite(layer.kelvin_mu_pa)) {
            soft += layer.mu_pa * *s / (layer.kelvin_mu_pa + layer.kelvin_viscosity_pa_s * *s);
        }
        mu = layer.mu_pa * *s / soft;
    }
    return {kappa - 2.0 / 3.0 * mu, mu};
}

LayeredWaves::LayeredWaves(const LayeredMedium& medium, double k_per_m, std::optional<Complex> s)
    : k_(k_per_m) {
    const std::size_t n = medium.layers.size();
    layers_.resize(n);
    Matrix below{};  // (S, N)/k of (V, U) at the top of what was done
    Complex below_w{};
    double density_below = 0.0;
    for (std::size_t at = n; at-- > 0;) {
        Layer& layer = layers_[at];
        const auto [lambda, mu] = moduli_at(medium.layers[at], s);
        layer.top_m = at > 0 ? medium.layers[at - 1].bottom_m : 0.0;
        layer.bottom_m = medium.layers[at].bottom_m;
        layer.mu = mu;
        layer.beta = mu / (lambda + mu);
        Matrix moves = displacement(layer.beta, 0.0);
        Matrix pulls = traction(mu, layer.beta, 0.0);
        Complex moves_w = 1.0;
        Complex pulls_w = -mu;
        if (at + 1 < n) {
            const double x = k_ * (layer.bottom_m - layer.top_m);
            // N_above = N_below - [rho] g U, in equilibrium with the spring.
            below[1][1] -=
                (density_below - medium.layers[at].density_kg_m3) * medium.gravity_m_s2 / k_;
            const Matrix up_moves = mirrored(moves, 1), up_pulls = mirrored(pulls, 0);
            const Matrix end =
                sum(traction(mu, layer.beta, x), -1.0, below * displacement(layer.beta, x));
            layer.reflected = inverse(sum(below * up_moves, -1.0, up_pulls)) * end;
            moves = sum(moves, 1.0, mirrored(displacement(layer.beta, x), 1) * layer.reflected);
            pulls = sum(pulls, 1.0, mirrored(traction(mu, layer.beta, x), 0) * layer.reflected);
            const double e = std::exp(-x);
            layer.reflected_w = e * (mu + below_w) / (mu - below_w);
            moves_w += e * layer.reflected_w;
            pulls_w += mu * e * layer.reflected_w;
        }
        layer.amplitudes = inverse(moves);
        layer.amplitude_w = 1.0 / moves_w;
        below = pulls * layer.amplitudes;
        below_w = pulls_w / moves_w;
        density_below = medium.layers[at].density_kg_m3;
    }
    below[1][1] -= density_below * medium.gravity_m_s2 / k_;
    surface_ = inverse(below);
    surface_w_ = 1.0 / below_w;
}

LayeredWaves::State LayeredWaves::field(const Layer& layer, const Vector& at_top,
                                        double depth_m) const {
    const Vector down = layer.amplitudes * at_top;
    const double x = k_ * (depth_m - layer.top_m);
    Vector move = displacement(layer.beta, x) * down;
    Vector pull = traction(layer.mu, layer.beta, x) * down;
    if (std::isfinite(layer.bottom_m)) {
        const Vector up = layer.reflected * down;
        const double y = k_ * (layer.bottom_m - depth_m);
        const Vector more = mirrored(displacement(layer.beta, y), 1) * up;
        const Vector pulls = mirrored(traction(layer.mu, layer.beta, y), 0) * up;
        for (int i = 0; i < 2; ++i) {
            move[i] += more[i];
            pull[i] += pulls[i];
        }
    }
    return {move[0], move[1], pull[0], pull[1]};
}

SurfaceMotion LayeredWaves::surface_motion(double depth_m) const {
    SurfaceMotion motion{};
    // Columns: the fields of a horizontal and of a vertical traction on the surface.
    for (int load = 0; load < 2; ++load) {
        Vector at_top = {surface_[0][load], surface_[1][load]};
        std::size_t at = 0;
        for (; depth_m > layers_[at].bottom_m; ++at) {
            const State end = field(layers_[at], at_top, layers_[at].bottom_m);
            at_top = {end.v, end.u};
        }
        const Layer& layer = layers_[at];
        const State f = field(layer, at_top, depth_m);
        // V1 S2 - V2 S1 + U1 N2 - U2 N1 does not change with depth but at sources, so the source's
        // motion where the traction acts is -([V] S2 - V2 [S] + [U] N2 - U2 [N]), with jumps
        //   [U] = mu P_zz/(lambda + 2 mu), [V] = i P_kz,
        //   [S] = k mu (lambda P_zz/(lambda + 2 mu) - P_kk), [N] = 0;
        // at order zero P_kk = -P_zz/2; mu/(lambda + 2 mu) = beta/(1 + beta).
        const Complex rigid = layer.beta / (1.0 + layer.beta);
        const Complex zero = layer.mu * (1.5 - 2.0 * rigid) * f.v - rigid * f.n;
        motion.of[load == 0 ? SurfaceMotion::V0 : SurfaceMotion::U0] = zero;
        motion.of[load == 0 ? SurfaceMotion::V1 : SurfaceMotion::U1] = -f.s;
        motion.of[load == 0 ? SurfaceMotion::V2 : SurfaceMotion::U2] = -layer.mu * f.v;
    }
    // W1 T2 - W2 T1 is constant in the same way, with jumps [W] = P_tz, [T] = i k mu P_tk.
    Complex top = surface_w_;
    for (const Layer& layer : layers_) {
        const Complex down = layer.amplitude_w * top;
        const Complex up = layer.reflected_w * down;
        const bool last = !std::isfinite(layer.bottom_m);
        const double to = std::min(depth_m, layer.bottom_m);
        const Complex a = down * std::exp(-k_ * (to - layer.top_m));
        const Complex b = last ? 0.0 : up * std::exp(-k_ * (layer.bottom_m - to));
        top = a + b;
        if (depth_m <= layer.bottom_m) {
            motion.of[SurfaceMotion::W1] = layer.mu * (a - b);
            motion.of[SurfaceMotion::W2] = layer.mu * (a + b);
            break;
        }
    }
    return motion;
}

Complex LayeredWaves::compliance() const {
    // A traction from above presses: N(0) = -p.
    return -surface_[1][1] / k_;
}

}  // namespace kaname::test
