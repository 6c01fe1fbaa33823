// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <complex>
#include <limits>
#include <optional>
#include <vector>

namespace kaname::test {

/// A layer of a plane-layered half-space, from the top down; bulk modulus elastic. With a Kelvin
/// element in series it is Burgers rock.
struct MaxwellLayer {
    double bottom_m = std::numeric_limits<double>::infinity();  ///< depth; the last has none
    double lambda_pa = 0.0;
    double mu_pa = 0.0;
    double viscosity_pa_s = std::numeric_limits<double>::infinity();
    double density_kg_m3 = 0.0;
    double kelvin_mu_pa = std::numeric_limits<double>::infinity();
    double kelvin_viscosity_pa_s = std::numeric_limits<double>::infinity();
};

struct LayeredMedium {
    std::vector<MaxwellLayer> layers;
    /// Springs [rho] g on vertical displacement, at the surface and where density changes.
    double gravity_m_s2 = 0.0;
};

/// Moduli in the Laplace domain, 1/mu(s) = 1/mu + 1/(eta s) + 1/(mu_k + eta_k s) and lambda(s) =
/// kappa - 2/3 mu(s); without s those right after the slip.
struct Moduli {
    std::complex<double> lambda, mu;
};
[[nodiscard]] Moduli moduli_at(const MaxwellLayer& layer, std::optional<std::complex<double>> s);

/// Motion of the surface at wavenumber k along the wave vector (v), across it (w) and down (u),
/// for a shear dislocation of unit potency P_ij = s_i n_j + n_i s_j at a depth; the number is the
/// azimuthal order. With axes (k, t, down) at azimuth phi, displacement is the sum of
///   -i V e_k + U e_z + W e_t:    U = u0 P_zz + i u1 P_kz + u2 P_kk'    (P_kk' its part of order 2)
///                                V = v0 P_zz + i v1 P_kz + v2 P_kk',   W = w1 P_tz + i w2 P_tk.
struct SurfaceMotion {
    enum Part { U0, V0, U1, V1, W1, U2, V2, W2, kParts };
    std::array<std::complex<double>, kParts> of;
};

/// One wavenumber and one s in a layered half-space, for sources at any depth. Waves that decay
/// downwards are written from the top of their layer, those that decay upwards from its bottom
/// (Kennett 1983, ch. 6, in the static limit), so that no exponential grows. A source's motion of
/// the surface follows by reciprocity from the field of tractions on the surface.
class LayeredWaves {
public:
    LayeredWaves(const LayeredMedium& medium, double k_per_m,
                 std::optional<std::complex<double>> s);

    /// Motion of the surface for a source at a depth; on an interface it is in the layer above.
    [[nodiscard]] SurfaceMotion surface_motion(double depth_m) const;
    /// Downward motion for a downward traction of 1 Pa on the surface [m/Pa].
    [[nodiscard]] std::complex<double> compliance() const;

private:
    using Complex = std::complex<double>;
    using Matrix = std::array<std::array<Complex, 2>, 2>;
    struct Layer {
        double top_m, bottom_m;
        Complex mu, beta;   ///< beta = mu/(lambda + mu)
        Matrix reflected;   ///< amplitudes decaying upwards, at the bottom, of those downwards
        Matrix amplitudes;  ///< downwards, at the top, of (V, U) there
        Complex reflected_w;
        Complex amplitude_w;
    };
    struct State {
        Complex v, u, s, n;  ///< displacement; shear and normal traction over k
    };

    [[nodiscard]] State field(const Layer& layer, const std::array<Complex, 2>& at_top,
                              double depth_m) const;

    double k_;
    std::vector<Layer> layers_;
    Matrix surface_;     ///< (V, U) at the surface for tractions k there
    Complex surface_w_;  ///< W for a traction k
};

}  // namespace kaname::test
