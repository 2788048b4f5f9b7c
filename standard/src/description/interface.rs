//! The interfaces of an FMU and their capabilities.

use super::VendorAnnotation;

/// The attributes that all interfaces share.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Interface {
    /// `modelIdentifier`: name of the library and, in source FMUs, prefix of the functions.
    pub model_identifier: String,
    /// `needsExecutionTool`.
    pub needs_execution_tool: bool,
    /// `canBeInstantiatedOnlyOncePerProcess`.
    pub can_be_instantiated_only_once_per_process: bool,
    /// `canNotUseMemoryManagementFunctions`. FMI 2.0 only.
    pub can_not_use_memory_management_functions: bool,
    /// `canGetAndSetFMUstate` (2.0), `canGetAndSetFMUState` (3.0).
    pub can_get_and_set_fmu_state: bool,
    /// `canSerializeFMUstate` (2.0), `canSerializeFMUState` (3.0).
    pub can_serialize_fmu_state: bool,
    /// `providesDirectionalDerivative` (2.0), `providesDirectionalDerivatives` (3.0).
    pub provides_directional_derivative: bool,
    /// `providesAdjointDerivatives`. FMI 3.0 only.
    pub provides_adjoint_derivatives: bool,
    /// `providesPerElementDependencies`. FMI 3.0 only.
    pub provides_per_element_dependencies: bool,
    /// `SourceFiles`. FMI 2.0 only.
    pub source_files: Vec<String>,
    /// `Annotations` of the interface. FMI 3.0 only.
    pub annotations: Vec<VendorAnnotation>,
}

impl Interface {
    /// The interface of a library of this name, without any capability. The fields are set one by one:
    ///
    /// ```
    /// use fmu_standard::description::{Interface, ModelExchange};
    ///
    /// let mut interface = Interface::new("Decay");
    /// interface.can_get_and_set_fmu_state = true;
    /// let mut model_exchange = ModelExchange::new(interface);
    /// model_exchange.completed_integrator_step_not_needed = true;
    /// assert_eq!(model_exchange.interface.model_identifier, "Decay");
    /// ```
    pub fn new(model_identifier: impl Into<String>) -> Self {
        Self {
            model_identifier: model_identifier.into(),
            ..Self::default()
        }
    }
}

/// `ModelExchange`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelExchange {
    /// What all interfaces have.
    pub interface: Interface,
    /// `completedIntegratorStepNotNeeded` (2.0); the opposite of `needsCompletedIntegratorStep` (3.0).
    pub completed_integrator_step_not_needed: bool,
    /// `providesEvaluateDiscreteStates`. FMI 3.0 only.
    pub provides_evaluate_discrete_states: bool,
}

impl ModelExchange {
    /// Without further capabilities.
    pub fn new(interface: Interface) -> Self {
        Self {
            interface,
            ..Self::default()
        }
    }
}

/// `CoSimulation`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CoSimulation {
    /// What all interfaces have.
    pub interface: Interface,
    /// `canHandleVariableCommunicationStepSize`.
    pub can_handle_variable_communication_step_size: bool,
    /// `canInterpolateInputs`. FMI 2.0 only.
    pub can_interpolate_inputs: bool,
    /// `maxOutputDerivativeOrder`.
    pub max_output_derivative_order: u32,
    /// `canRunAsynchronuously` (spelled so by the standard). FMI 2.0 only.
    pub can_run_asynchronuously: bool,
    /// `fixedInternalStepSize`. FMI 3.0 only.
    pub fixed_internal_step_size: Option<f64>,
    /// `recommendedIntermediateInputSmoothness`. FMI 3.0 only.
    pub recommended_intermediate_input_smoothness: i32,
    /// `providesIntermediateUpdate`. FMI 3.0 only.
    pub provides_intermediate_update: bool,
    /// `mightReturnEarlyFromDoStep`. FMI 3.0 only.
    pub might_return_early_from_do_step: bool,
    /// `canReturnEarlyAfterIntermediateUpdate`. FMI 3.0 only.
    pub can_return_early_after_intermediate_update: bool,
    /// `hasEventMode`. FMI 3.0 only.
    pub has_event_mode: bool,
    /// `providesEvaluateDiscreteStates`. FMI 3.0 only.
    pub provides_evaluate_discrete_states: bool,
}

impl CoSimulation {
    /// Without further capabilities.
    pub fn new(interface: Interface) -> Self {
        Self {
            interface,
            ..Self::default()
        }
    }
}

/// `ScheduledExecution`. FMI 3.0 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ScheduledExecution {
    /// What all interfaces have.
    pub interface: Interface,
}

impl ScheduledExecution {
    /// Without further capabilities.
    pub fn new(interface: Interface) -> Self {
        Self { interface }
    }
}
