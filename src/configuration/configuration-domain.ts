import type { LineOriginsIndex } from '../index/line-origins-index.ts'
import type { ConfiguredAccess } from './access/access.ts'
import type { ExplainDeps } from './access/explain.ts'
import type { GitAccessDeps } from './access/git-access.ts'
import type { ConfigChangesDeps } from './changes/config-changes.ts'
import type { ConfigServices } from './config-services.ts'
import type { EntityListingDeps } from './entities/list-entities.ts'
import type { EntitySavingDeps } from './entities/save-entity.ts'
import type { ConfigReadingDeps } from './read/config-reading.ts'
import type { MaintenanceDeps } from './maintenance-mode.ts'
import type { OverrideDeps } from './gate/override-alarm.ts'
import type { RulesDeps } from './gate/save-rules.ts'
import type { PlainSecretDeps } from './read/plain-secret-alarm.ts'
import type { ConfigRestoringDeps } from './save/config-restoring.ts'
import type { ConfigSavingDeps } from './save/config-saving.ts'
import type { PipelineCreationDeps, PipelinePreviewDeps } from './save/pipeline-creation.ts'
import type { RevisionSearchDeps } from './search/find-revisions.ts'

/** The configuration and its history: the sum of what the use cases of this room take. */
export interface ConfigurationDomain
  extends
    ConfigReadingDeps,
    ConfigChangesDeps,
    ConfigSavingDeps,
    ConfigRestoringDeps,
    RevisionSearchDeps,
    EntityListingDeps,
    EntitySavingDeps,
    PipelineCreationDeps,
    PipelinePreviewDeps,
    PlainSecretDeps,
    OverrideDeps,
    GitAccessDeps,
    RulesDeps,
    MaintenanceDeps,
    ExplainDeps {
  readonly access: ConfiguredAccess
  readonly gate: ConfigServices['gate']
  readonly script: ConfigServices['script']
  /** The revisions that wrote the lines of a document. */
  readonly origins: LineOriginsIndex
  /** The name of the document in the repository. */
  readonly fileName: string
  /** The `PATH` on which git is looked up. */
  readonly programPath: string | undefined
}
