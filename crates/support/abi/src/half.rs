//! Half precision: conversions between its 16 bits and single precision.

/// The value of a half.
pub fn half_to_float(bits: u16) -> f32 {
    let (sign, magnitude) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff));
    let single = match magnitude {
        // Below the least normal half: a multiple of 2^-24.
        0..0x0400 => (magnitude as f32 * 2.0_f32.powi(-24)).to_bits(),
        0x0400..0x7c00 => (magnitude << 13) + ((127 - 15) << 23),
        _ => 0x7f80_0000 | (magnitude & 0x03ff) << 13,
    };
    f32::from_bits(sign | single)
}

/// The bits of the half nearest to a number; of two, the one whose last bit is 0.
pub fn float_to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
    let half = match magnitude {
        // Beside 0.5 the last bit of a single is 2^-24, that of the least halves: the sum is rounded as wanted.
        0..0x3880_0000 => (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5_f32.to_bits(),
        0x3880_0000..0x477f_f000 => {
            let is_odd = magnitude >> 13 & 1;
            (magnitude - ((127 - 15) << 23) + 0x0fff + is_odd) >> 13
        }
        0x477f_f000..=0x7f80_0000 => 0x7c00,
        _ => 0x7e00 | magnitude >> 13 & 0x03ff,
    };
    sign | half as u16
}

/// The same of a double.
pub fn double_to_half(value: f64) -> u16 {
    let single = value as f32;
    if f64::from(single) == value || value.is_nan() {
        return float_to_half(single);
    }
    // A single with the last bit 1 lies between no other two halves than the number does.
    let towards_zero = single.to_bits() - u32::from(f64::from(single).abs() > value.abs());
    float_to_half(f32::from_bits(towards_zero | 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives() {
        for bits in 0..=u16::MAX {
            let value = half_to_float(bits);
            let back = float_to_half(value);
            assert!(back == bits || value.is_nan() && back == bits | 0x0200, "{bits:#x} {value} {back:#x}");
        }
    }

    #[test]
    fn doubles_are_rounded_once() {
        let (low, high) = (f64::from(half_to_float(0x3c00)), f64::from(half_to_float(0x3c01)));
        let middle = (low + high) / 2.0;
        assert_eq!(
            [middle.next_down(), middle, middle.next_up()].map(double_to_half),
            [0x3c00, 0x3c00, 0x3c01]
        );
        let all = [1e300, -1e300, f64::INFINITY, 65520.0_f64.next_down(), 1e-300, -0.0].map(double_to_half);
        assert_eq!(all, [0x7c00, 0xfc00, 0x7c00, 0x7bff, 0, 0x8000]);
        assert!(half_to_float(double_to_half(f64::NAN)).is_nan());
    }

    #[test]
    fn numbers_between_two_halves_go_to_the_nearer_one() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (half_to_float(bits), half_to_float(bits + 1));
            let middle = (low + high) / 2.0;
            assert_eq!(float_to_half(middle), bits + (bits & 1), "{middle}");
            assert_eq!(float_to_half(middle.next_down()), bits, "{middle}");
            assert_eq!(float_to_half(-middle.next_up()), (bits + 1) | 0x8000, "{middle}");
        }
        assert_eq!([65519.996, 65520.0, f32::MAX].map(float_to_half), [0x7bff, 0x7c00, 0x7c00]);
    }
}
