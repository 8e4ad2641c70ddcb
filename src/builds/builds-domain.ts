import type { ConfigurationDomain } from '../configuration/configuration-domain.ts'
import type { BuildServices } from './build-services.ts'
import type { CompareRunsDeps } from './compare/compare-runs.ts'
import type { MaterialPoller } from './materials/material-poller.ts'
import type { FilesDeps } from './runs/files.ts'
import type { ListPipelinesDeps } from './runs/list-pipelines.ts'
import type { StagesDeps } from './runs/stages.ts'
import type { StartRunsDeps } from './runs/start-runs.ts'
import type { Triggers } from './triggers/triggers.ts'

/**
 * The runs of pipelines, with their triggers and their agents: the sum of the dependencies of the use
 * cases of this room, on top of the configuration.
 */
export interface BuildsDomain
  extends
    ConfigurationDomain,
    BuildServices,
    StartRunsDeps,
    CompareRunsDeps,
    ListPipelinesDeps,
    StagesDeps,
    FilesDeps {
  readonly access: ConfigurationDomain['access']
  readonly dispatcher: BuildServices['dispatcher']
  readonly plans: BuildServices['plans']
  readonly box: ConfigurationDomain['box']
  readonly pipelines: BuildServices['pipelines']
  readonly triggers: Triggers
  readonly poller: MaterialPoller
}
