// Default parameters may be left out, and an alias is as good as the name.
use fmu_runtime::prelude::*;

#[model]
struct Rod<const N: usize = 4> {
    #[state(start = 1.0)]
    x: [f64; N],
    #[input(start = 0.0)]
    heat: f64,
}

#[equations]
impl<const M: usize> Model for Rod<M> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: [self.heat / M as f64; M],
        }
    }
}

type Short = Rod<2>;

#[model]
struct Frame {
    #[part(connect(heat))]
    long: Rod,
    #[part]
    short: [Short; 2],
}

#[equations]
impl Model for Frame {
    fn connections(&self, t: f64) -> Connections<Self> {
        Connections::<Self> { long_heat: 8.0 * t }
    }
}

export_fmu!(Frame);

fn main() {
    let frame = Frame::default();
    assert_eq!((frame.long.x.len(), frame.short[1].x.len()), (4, 2));
    assert_eq!(frame.connections(1.0).long_heat, 8.0);
}
