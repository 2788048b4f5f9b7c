//! X4a, R2, R2a, R15 and R15a: how instances begin and end.

use fmu_standard::fmi2;

use super::child::Probe;
use super::raw::{Instantiate, raw};
use super::steps::Steps;
use fmu_importer::{Error, State};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    steps.add("X4a", "fmi2Instantiate with another guid", |probe| {
        let accepted = instantiated(probe, |with| {
            with.guid = Some("{00000000-0000-0000-0000-000000000000}".into())
        })?;
        if accepted {
            probe.found("X4a", "it accepts another guid than that of the description");
        }
        Ok(())
    });
    steps.add("R2", "fmi2Instantiate without a name", |probe| {
        if instantiated(probe, |with| with.name = Some(String::new()))? {
            probe.found("R2", "it accepts an empty name");
        }
        Ok(())
    });
    steps.add("R2", "fmi2Instantiate with null as name", |probe| {
        if instantiated(probe, |with| with.name = None)? {
            probe.found("R2", "it accepts null as name");
        }
        Ok(())
    });
    steps.add("R2", "fmi2Instantiate with null as guid", |probe| {
        if instantiated(probe, |with| with.guid = None)? {
            probe.found("R2", "it accepts null as guid");
        }
        Ok(())
    });
    steps.add(
        "R2",
        "fmi2Instantiate for an interface that does not exist",
        |probe| {
            if instantiated(probe, |with| with.kind = fmi2::fmi2Type(7))? {
                probe.found("R2", "it accepts 7 as fmuType");
            }
            Ok(())
        },
    );
    steps.add("R2", "fmi2Instantiate without callbacks", |probe| {
        if instantiated(probe, |with| with.with_callbacks = false)? {
            probe.found("R2", "it accepts null as functions");
        }
        Ok(())
    });
    type Form = fn(&str) -> String;
    let forms: [(&str, Form); 2] = [
        ("file:/... as fmuResourceLocation", |uri| {
            uri.replacen("file:///", "file:/", 1)
        }),
        ("an escaped letter in fmuResourceLocation", |uri| {
            let (folder, name) = uri.rsplit_once('/').unwrap_or(("", uri));
            let escaped = name.bytes().take(1).map(|byte| format!("%{byte:02X}"));
            format!(
                "{folder}/{}{}",
                escaped.collect::<String>(),
                name.get(1..).unwrap_or_default()
            )
        }),
    ];
    for (what, form) in forms {
        steps.add("R2a", format!("fmi2Instantiate with {what}"), move |probe| {
            let (_, uri) = probe.arguments()?;
            let uri = form(&uri);
            if !instantiated(probe, |with| with.resources = Some(uri.clone()))? {
                probe.found("R2a", format!("it refuses {uri}"));
            }
            Ok(())
        });
    }
    if !probe
        .fmu
        .files()
        .iter()
        .any(|file| file.path.starts_with("resources/"))
    {
        steps.add("R2a", "fmi2Instantiate without resources", |probe| {
            if !instantiated(probe, |with| with.resources = None)? {
                probe.found("R2a", "it needs fmuResourceLocation, and there are no resources");
            }
            Ok(())
        });
    }
    let states: &[State] = if probe.is_model_exchange() {
        &[
            State::Instantiated,
            State::Initialization,
            State::Event,
            State::ContinuousTime,
            State::Terminated,
        ]
    } else {
        &[
            State::Instantiated,
            State::Initialization,
            State::StepComplete,
            State::Terminated,
        ]
    };
    for state in states.iter().copied() {
        steps.add("R15", format!("fmi2FreeInstance while {state}"), move |probe| {
            drop(probe.raw_in(state)?);
            Ok(())
        });
    }
    steps.add("R15a", "fmi2FreeInstance with null", |probe| {
        if let Some(free) = probe.library.functions.fmi2FreeInstance {
            // SAFETY: the standard says that null is ignored.
            unsafe { free(std::ptr::null_mut()) };
        }
        Ok(())
    });
    if probe.interface.can_get_and_set_fmu_state {
        steps.add("R16", "fmi2FreeFMUstate with null", |probe| {
            let instance = probe.raw()?;
            raw!(
                probe.library,
                fmi2FreeFMUstate(instance.component, std::ptr::null_mut())
            );
            Ok(())
        });
        steps.add("R16", "fmi2FreeFMUstate with a pointer to null", |probe| {
            let instance = probe.raw()?;
            let mut state = std::ptr::null_mut();
            raw!(probe.library, fmi2FreeFMUstate(instance.component, &mut state));
            Ok(())
        });
    }
}

/// Whether an instance is made with arguments of which one is changed.
fn instantiated(probe: &Probe, change: impl FnOnce(&mut Instantiate)) -> Result<bool, Error> {
    let (guid, resources) = probe.arguments()?;
    let mut with = Instantiate {
        name: Some("probe".into()),
        kind: probe.kind,
        guid: Some(guid),
        resources: Some(resources),
        with_callbacks: true,
    };
    change(&mut with);
    Ok(probe.instantiate(&with)?.is_some())
}
