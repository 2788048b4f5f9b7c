//! Where the resources of an FMU are: from a URI (`fmuResourceLocation` of FMI 2.0) to a folder.

use std::path::PathBuf;

/// The folder that a `file` URI names: `file:///a`, `file:/a`, `file://localhost/a`, percent-encoded, on Windows with
/// a drive letter; a plain absolute path, which some tools pass, will do, too.
pub fn folder(uri: &str) -> Result<PathBuf, String> {
    let path = path_of(uri, cfg!(windows))?;
    bytes_to_path(path).ok_or_else(|| format!("the resource location '{uri}' is not UTF-8 when decoded"))
}

fn path_of(uri: &str, windows: bool) -> Result<Vec<u8>, String> {
    let Some(rest) = strip_scheme(uri) else {
        return match uri.starts_with('/') || has_drive(uri) {
            true => Ok(uri.as_bytes().to_vec()),
            false => Err(format!(
                "the resource location '{uri}' is not a file URI with an absolute path, like file:///tmp/model/resources"
            )),
        };
    };
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    if !path.starts_with('/') {
        return Err(format!("the resource location '{uri}' names no absolute path"));
    }
    let path =
        decode(path).ok_or_else(|| format!("the resource location '{uri}' is badly percent-encoded"))?;
    match host {
        "" | "localhost" if windows && path.get(1..).is_some_and(bytes_have_drive) => Ok(path[1..].to_vec()),
        "" | "localhost" => Ok(path),
        host if windows => Ok([b"//", host.as_bytes(), &path].concat()),
        host => Err(format!(
            "the resource location '{uri}' is on another machine, '{host}'"
        )),
    }
}

fn strip_scheme(uri: &str) -> Option<&str> {
    let scheme = uri.get(..5)?;
    scheme.eq_ignore_ascii_case("file:").then(|| &uri[5..])
}

fn has_drive(path: &str) -> bool {
    bytes_have_drive(path.as_bytes())
}

fn bytes_have_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => hex_digit(bytes.next()?)? * 16 + hex_digit(bytes.next()?)?,
            other => other,
        });
    }
    Some(decoded)
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Names of files are bytes on Unix.
#[cfg(unix)]
fn bytes_to_path(path: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(path).into())
}

#[cfg(not(unix))]
fn bytes_to_path(path: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(path).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::path_of;

    fn path(uri: &str, windows: bool) -> Result<String, String> {
        path_of(uri, windows).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn all_forms_of_a_file_uri_name_the_same_folder() {
        for uri in [
            "file:///tmp/a b/resources",
            "file:///tmp/a%20b/resources",
            "file:/tmp/a%20b/resources",
            "file://localhost/tmp/a%20b/resources",
            "FILE:///tmp/%61%20b/r%65sources",
            "/tmp/a b/resources",
        ] {
            assert_eq!(path(uri, false).as_deref(), Ok("/tmp/a b/resources"), "{uri}");
        }
        assert_eq!(path("file:///gr%C3%BC%C3%9Fe", false).as_deref(), Ok("/grüße"));
    }

    #[test]
    fn windows_has_drives_and_shares() {
        for uri in [
            "file:///C:/temp/My%20FMU",
            "file:/C:/temp/My%20FMU",
            "C:/temp/My FMU",
        ] {
            assert_eq!(path(uri, true).as_deref(), Ok("C:/temp/My FMU"), "{uri}");
        }
        assert_eq!(
            path("file://server/share/x", true).as_deref(),
            Ok("//server/share/x")
        );
    }

    #[test]
    fn what_names_no_folder_is_a_sentence() {
        for uri in [
            "http://example.org/resources",
            "relative/path",
            "file:relative",
            "file:///bad%2",
            "file:///bad%zz",
            "file://elsewhere/tmp",
            "file:",
        ] {
            let sentence = path(uri, false).unwrap_err();
            assert!(sentence.contains(uri), "{sentence}");
        }
    }
}
