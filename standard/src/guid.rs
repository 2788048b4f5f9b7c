//! The GUID: a fingerprint of the interface that library and XML share.

use crate::description::ModelDescription;

/// A fingerprint of the interface, `{8-4-4-4-12}` in lower-case hexadecimal digits.
///
/// Everything that the XML says takes part, except `guid`, `generationTool`, `generationDateAndTime`, the mark of the build
/// ([`BUILD_TOOL`](crate::extension::BUILD_TOOL)) and the dependencies, which a library would have to compute
/// each time it is loaded; so does the version of this crate, because the library that answers to the GUID is made of it. Equal descriptions give equal GUIDs on every platform.
///
/// ```
/// use fmu_standard::description::ModelDescription;
///
/// let mut description = ModelDescription { model_name: "Pendulum".into(), ..Default::default() };
/// let guid = fmu_standard::guid(&description);
/// description.guid = guid.clone();
/// description.generation_date_and_time = Some("2026-01-01T00:00:00Z".into());
/// assert_eq!(fmu_standard::guid(&description), guid);
/// description.model_name = "Pendula".into();
/// assert_ne!(fmu_standard::guid(&description), guid);
/// ```
pub fn guid(description: &ModelDescription) -> String {
    // The text of the XML is a faithful and platform-independent image of the description, so hashing it cannot
    // forget an attribute that is added to the description one day.
    braced(crate::fmi2::write_interface(description))
}

/// The same for the `instantiationToken` of FMI 3.0, from what the XML of 3.0 contains.
pub fn instantiation_token(description: &ModelDescription) -> String {
    braced(crate::fmi3::write_interface(description))
}

/// [`guid`] or [`instantiation_token`], by the version that the description declares.
pub fn identity(description: &ModelDescription) -> String {
    match description.fmi_version.starts_with("3.") {
        true => instantiation_token(description),
        false => guid(description),
    }
}

fn braced(mut text: String) -> String {
    text.push_str(env!("CARGO_PKG_VERSION"));
    let hash = siphash_128(text.as_bytes(), [0x666d_6932, 0x6775_6964]);
    let mut braced = String::with_capacity(38);
    braced.push('{');
    for (position, byte) in hash.into_iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            braced.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            braced.push(char::from_digit(digit.into(), 16).unwrap_or('0'));
        }
    }
    braced.push('}');
    braced
}

/// A fingerprint of any bytes, as 32 hexadecimal digits that are the same on every platform.
///
/// ```
/// assert_eq!(fmu_standard::fingerprint(b"pendulum").len(), 32);
/// assert_ne!(fmu_standard::fingerprint(b"pendulum"), fmu_standard::fingerprint(b"pendula"));
/// ```
pub fn fingerprint(data: &[u8]) -> String {
    let hash = siphash_128(data, [0x666d_6932, 0x6d61_726b]);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012).
fn siphash_128(data: &[u8], key: [u64; 2]) -> [u8; 16] {
    let mut v = [
        key[0] ^ 0x736f_6d65_7073_6575,
        key[1] ^ 0x646f_7261_6e64_6f6d ^ 0xee,
        key[0] ^ 0x6c79_6765_6e65_7261,
        key[1] ^ 0x7465_6462_7974_6573,
    ];
    let mut absorb = |word: u64| {
        v[3] ^= word;
        sip_rounds(&mut v, 2);
        v[0] ^= word;
    };
    let mut words = data.chunks_exact(8);
    for word in &mut words {
        absorb(little_endian(word));
    }
    absorb(little_endian(words.remainder()) | (data.len() as u64) << 56);

    let mut hash = [0; 16];
    v[2] ^= 0xee;
    sip_rounds(&mut v, 4);
    hash[..8].copy_from_slice(&(v[0] ^ v[1] ^ v[2] ^ v[3]).to_le_bytes());
    v[1] ^= 0xdd;
    sip_rounds(&mut v, 4);
    hash[8..].copy_from_slice(&(v[0] ^ v[1] ^ v[2] ^ v[3]).to_le_bytes());
    hash
}

fn sip_rounds(v: &mut [u64; 4], rounds: usize) {
    for _ in 0..rounds {
        v[0] = v[0].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[0] = v[0].rotate_left(32);
        v[2] = v[2].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[2] = v[2].rotate_left(32);
    }
}

/// At most eight bytes as a number, least significant first.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::siphash_128;

    /// The first vectors that the authors of SipHash publish: key 00 01 .. 0f, messages of growing length 00 01 ..
    #[test]
    fn published_vectors() {
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let hex = |data: &[u8]| {
            siphash_128(data, key)
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>()
        };
        assert_eq!(hex(&[]), "a3817f04ba25a8e66df67214c7550293");
        assert_eq!(hex(&[0]), "da87c1d86b99af44347659119b22fc45");
    }

    #[test]
    fn every_length_of_the_tail_counts() {
        let data: Vec<u8> = (0..40).collect();
        let mut hashes: Vec<_> = (0..=data.len())
            .map(|n| siphash_128(&data[..n], [1, 2]))
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), data.len() + 1);
    }
}
