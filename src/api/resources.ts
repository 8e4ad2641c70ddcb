import type { ConfigChangesDeps } from '../configuration/changes/config-changes.ts'
import type { ConfigReadingDeps } from '../configuration/read/config-reading.ts'
import type { ExplainDeps } from '../configuration/access/explain.ts'
import type { GitAccessDeps } from '../configuration/access/git-access.ts'
import type { AgentCallsDeps } from '../agents/contact.ts'
import type { PlainSecretDeps } from '../configuration/read/plain-secret-alarm.ts'
import type { TokenDeps } from '../identities/tokens.ts'
import type { AuditDeps } from '../notify/audit/audit.ts'
import { agentProtocolResource } from './agents/agent-protocol-routes.ts'
import { type AgentRoutesOptions, agentResource } from './agents/agent-routes.ts'
import { type AgentWorkOptions, agentWorkResource } from './agents/agent-work-routes.ts'
import { type FileRoutesOptions, fileResource } from './builds/file-routes.ts'
import { type PipelineRoutesOptions, pipelineResource } from './builds/pipeline-routes.ts'
import { type StageRoutesOptions, stageResource } from './builds/stage-routes.ts'
import { configChangesResource } from './configuration/config-changes-routes.ts'
import { type ConfigRoutesOptions, configResource } from './configuration/config-routes.ts'
import {
  type ConfigSavingOptions,
  configSavingResource,
} from './configuration/config-saving-routes.ts'
import {
  type PipelineCreationOptions,
  pipelineCreationResource,
} from './configuration/pipeline-creation-routes.ts'
import { entityResource, type EntityResourceOptions } from './configuration/entity-routes.ts'
import { planResource, type PlanRoutesOptions } from './configuration/plan-routes.ts'
import { plainSecretResource } from './configuration/plain-secret-routes.ts'
import { type RestoreRoutesOptions, restoreResource } from './configuration/restore-routes.ts'
import { type WatchRoutesOptions, watchResource } from './configuration/watch-routes.ts'
import { gitResource } from './git/git-routes.ts'
import { callerResource } from './identities/caller-routes.ts'
import { invitationResource, type InvitationRoutesOptions } from './identities/invitation-routes.ts'
import type { UserAdministrationDeps } from '../identities/administer-users.ts'
import { tokenResource } from './identities/token-routes.ts'
import { userResource } from './identities/user-routes.ts'
import type { ApiResource, RouteFacts } from './definition/route.ts'
import { auditResource } from './service/audit-routes.ts'
import { type HealthRoutesOptions, healthResource } from './service/health-routes.ts'
import { type MetricsOptions, metricsResource } from './service/metrics-routes.ts'

/** The dependencies of the routes of the configuration and of the service itself. */
export interface ConfigurationApiOptions
  extends
    HealthRoutesOptions,
    MetricsOptions,
    ConfigRoutesOptions,
    ConfigChangesDeps,
    ConfigReadingDeps,
    WatchRoutesOptions,
    ConfigSavingOptions,
    EntityResourceOptions,
    RestoreRoutesOptions,
    PipelineCreationOptions,
    GitAccessDeps,
    AuditDeps,
    ExplainDeps,
    TokenDeps,
    InvitationRoutesOptions,
    UserAdministrationDeps {}

/** The dependencies of the routes of all resources. */
export interface ApiOptions
  extends
    ConfigurationApiOptions,
    PlanRoutesOptions,
    PlainSecretDeps,
    AgentRoutesOptions,
    AgentCallsDeps,
    AgentWorkOptions,
    PipelineRoutesOptions,
    StageRoutesOptions,
    FileRoutesOptions {}

/** Routes that every server handles; all others are forwarded to the leader. */
export const ON_EVERY_SERVER: readonly ApiResource<ConfigurationApiOptions>[] = [
  healthResource,
  configResource,
  metricsResource,
  auditResource,
  configChangesResource,
  watchResource,
  configSavingResource,
  entityResource,
  restoreResource,
  pipelineCreationResource,
  gitResource,
  tokenResource,
  invitationResource,
  userResource,
  callerResource,
]

/** The calls of programs, in the order of the description. */
export const RESOURCES: readonly ApiResource<ApiOptions>[] = [
  healthResource,
  configResource,
  metricsResource,
  auditResource,
  configChangesResource,
  watchResource,
  configSavingResource,
  entityResource,
  planResource,
  restoreResource,
  plainSecretResource,
  pipelineCreationResource,
  agentResource,
  agentProtocolResource,
  agentWorkResource,
  pipelineResource,
  stageResource,
  fileResource,
  gitResource,
  tokenResource,
  invitationResource,
  userResource,
  callerResource,
]

/** Every call of programs. Names for the audit log, public paths and the description follow from it. */
export const ROUTES: readonly RouteFacts[] = RESOURCES.flatMap(({ routes }) => routes)
