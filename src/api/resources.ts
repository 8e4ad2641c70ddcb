import type { ServedContext } from './definition/api-context.ts'
import { agentProtocolResource } from './agents/agent-protocol-routes.ts'
import { agentResource } from './agents/agent-routes.ts'
import { agentWorkResource } from './agents/agent-work-routes.ts'
import { compareResource } from './builds/compare-routes.ts'
import { fileResource } from './builds/file-routes.ts'
import { pipelineResource } from './builds/pipeline-routes.ts'
import { stageResource } from './builds/stage-routes.ts'
import { configChangesResource } from './configuration/config-changes-routes.ts'
import { configResource } from './configuration/config-routes.ts'
import { configSavingResource } from './configuration/config-saving-routes.ts'
import { entityResource } from './configuration/entity-routes.ts'
import { pipelineCreationResource } from './configuration/pipeline-creation-routes.ts'
import { planResource } from './configuration/plan-routes.ts'
import { rulesResource } from './configuration/rules-routes.ts'
import { schemaResource, willNotRunResource } from './configuration/document-routes.ts'
import { restoreResource } from './configuration/restore-routes.ts'
import { tagResource, plainSecretResource } from './configuration/revision-mark-routes.ts'
import { watchResource } from './configuration/watch-routes.ts'
import { gitResource } from './git/git-routes.ts'
import { invitationResource } from './identities/invitation-routes.ts'
import { mailSubscriptionResource } from './identities/mail-subscription-routes.ts'
import { tokenResource } from './identities/token-routes.ts'
import { userResource, callerResource } from './identities/user-routes.ts'
import type { ApiResource, RouteFacts } from './definition/route.ts'
import { partialResource } from './partials/partial-routes.ts'
import { proposalResource } from './proposals/proposal-routes.ts'
import { auditResource } from './service/audit-routes.ts'
import { healthResource, metricsResource } from './service/health-routes.ts'
import { maintenanceResource } from './service/maintenance-routes.ts'
import { webhookResource } from './service/webhook-routes.ts'
import { mcpResource } from './service/mcp-routes.ts'

const ALL = [
  healthResource,
  configResource,
  metricsResource,
  auditResource,
  maintenanceResource,
  webhookResource,
  configChangesResource,
  watchResource,
  configSavingResource,
  entityResource,
  partialResource,
  rulesResource,
  schemaResource,
  planResource,
  willNotRunResource,
  restoreResource,
  tagResource,
  proposalResource,
  plainSecretResource,
  pipelineCreationResource,
  agentResource,
  agentProtocolResource,
  agentWorkResource,
  pipelineResource,
  stageResource,
  compareResource,
  fileResource,
  gitResource,
  tokenResource,
  invitationResource,
  userResource,
  callerResource,
  mailSubscriptionResource,
  mcpResource,
] as const satisfies readonly ApiResource<ServedContext>[]

/** The calls of programs, in the order of the description. */
export const RESOURCES: readonly ApiResource<ServedContext>[] = ALL

/** The types of all calls of programs, for a client. */
export type ApiCall = NonNullable<(typeof ALL)[number]['call']>

/** Every call of programs. Names for the audit log, public paths and the description follow from it. */
export const ROUTES: readonly RouteFacts[] = RESOURCES.flatMap(({ routes }) => routes)
