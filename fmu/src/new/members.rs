//! Whether a workspace covers a folder, and its manifest with the folder added.

use std::path::Path;

use toml_edit::{Array, Item, Value};

use super::{Error, Workspace, relative};

/// The text of the workspace's manifest with a folder as a member; `None` if it is one already, or is to be left out.
pub(super) fn with_member(workspace: &Workspace, folder: &Path) -> Result<Option<String>, Error> {
    let path = relative(&workspace.root, folder);
    let mut document = workspace.document.clone();
    let refuse = |message: &str| Error::Manifest {
        path: workspace.manifest.clone(),
        message: message.to_owned(),
    };
    let table = document["workspace"]
        .as_table_like_mut()
        .ok_or_else(|| refuse("[workspace] is not a table"))?;
    let texts = |key: &str| -> Vec<String> {
        let array = table.get(key).and_then(Item::as_array);
        array
            .into_iter()
            .flatten()
            .filter_map(|value| value.as_str().map(str::to_owned))
            .collect()
    };
    let excluded = texts("exclude")
        .iter()
        .any(|excluded| Path::new(&path).starts_with(excluded.trim_end_matches('/')));
    if excluded || texts("members").iter().any(|pattern| matches(pattern, &path)) {
        return Ok(None);
    }
    let members = table
        .entry("members")
        .or_insert(Item::Value(Value::Array(Array::new())));
    let members = members
        .as_array_mut()
        .ok_or_else(|| refuse("workspace.members is not a list"))?;
    push(members, &path);
    Ok(Some(document.to_string()))
}

/// Adds to a list in its own layout: on a separate line if the others are.
fn push(members: &mut Array, path: &str) {
    let mut value = Value::from(path);
    if let Some(last) = members.iter().last() {
        let prefix = last
            .decor()
            .prefix()
            .and_then(|prefix| prefix.as_str())
            .unwrap_or_default();
        let indent = prefix
            .rfind('\n')
            .map_or(" ", |start| &prefix[start..])
            .to_owned();
        value.decor_mut().set_prefix(indent);
        members.push_formatted(value);
    } else {
        members.push(path);
    }
}

/// Whether a pattern of cargo's `members` covers a path: `*` and `?` within a folder's name, `**` for any folders.
fn matches(pattern: &str, path: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        text.split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect()
    };
    matches_parts(&parts(pattern), &parts(path))
}

fn matches_parts(pattern: &[String], path: &[String]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        ([first, rest @ ..], _) if first == "**" => {
            (0..=path.len()).any(|skipped| matches_parts(rest, &path[skipped..]))
        }
        ([first, rest @ ..], [name, names @ ..]) => {
            matches_name(first.as_bytes(), name.as_bytes()) && matches_parts(rest, names)
        }
        _ => false,
    }
}

fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|skipped| matches_name(rest, &name[skipped..])),
        ([b'?', rest @ ..], [_, names @ ..]) => matches_name(rest, names),
        ([first, rest @ ..], [letter, letters @ ..]) => first == letter && matches_name(rest, letters),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(manifest: &str, path: &str) -> Option<String> {
        let workspace = Workspace {
            manifest: "/w/Cargo.toml".into(),
            root: "/w".into(),
            document: manifest.parse().unwrap(),
        };
        with_member(&workspace, &Path::new("/w").join(path)).unwrap()
    }

    #[test]
    fn patterns_are_cargos() {
        for (pattern, path, expected) in [
            ("models/*", "models/tank", true),
            ("models/*", "models/deep/tank", false),
            ("models/*", "tank", false),
            ("models/**", "models/deep/tank", true),
            ("./tank", "tank", true),
            ("tank", "tank", true),
            ("t?nk-*", "tank-2", true),
            ("t?nk-*", "tank", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_covered_or_excluded_folder_needs_no_line() {
        assert_eq!(
            added("[workspace]\nmembers = ['models/*']\n", "models/tank"),
            None
        );
        assert_eq!(
            added("[workspace]\nmembers = ['a']\nexclude = ['old']\n", "old/tank"),
            None
        );
    }

    #[test]
    fn the_list_keeps_its_layout_and_comments() {
        assert_eq!(
            added("[workspace]\nmembers = ['a', 'b'] # both\n", "tank").unwrap(),
            "[workspace]\nmembers = ['a', 'b', \"tank\"] # both\n"
        );
        assert_eq!(
            added("[workspace]\nmembers = [\n    'a',\n    'b',\n]\n", "tank").unwrap(),
            "[workspace]\nmembers = [\n    'a',\n    'b',\n    \"tank\",\n]\n"
        );
        assert_eq!(
            added("[workspace]\nmembers = []\n", "tank").unwrap(),
            "[workspace]\nmembers = [\"tank\"]\n"
        );
        assert_eq!(
            added("[workspace]\n", "tank").unwrap(),
            "[workspace]\nmembers = [\"tank\"]\n"
        );
    }
}
