import type { Hono } from 'hono'
import { type AgentsRoutesOptions, agentsRoutes } from './agents/agents-routes.tsx'
import { RemovedAgents } from './agents/removed-agents.ts'
import { invitationsRoutes, type InvitationsRoutesOptions } from './agents/invitations-routes.tsx'
import { type RemovalRoutesOptions, removalRoutes } from './agent-removal/removal-routes.tsx'
import { type AuditPageOptions, auditPageRoutes } from './audit/audit-routes.tsx'
import { type CompareRoutesOptions, compareRoutes } from './compare/compare-routes.tsx'
import { type EditRoutesOptions, editRoutes } from './edit/edit-routes.tsx'
import type { RouteEnv } from '../http/request-context.ts'
import { type EntityRoutesOptions, entityRoutes } from './entity/entity-routes.tsx'
import { type HistoryRoutesOptions, historyRoutes } from './history/history-routes.tsx'
import { type JobPageRoutesOptions, jobPageRoutes } from './job/job-page-routes.tsx'
import { type LiveFileRoutesOptions, liveFileRoutes } from './live-file/live-file-routes.tsx'
import { type PipelinesRoutesOptions, pipelinesRoutes } from './pipelines/pipelines-routes.tsx'
import { type StagePageRoutesOptions, stagePageRoutes } from './stage/stage-page-routes.tsx'
import { serversRoutes, type ServersRoutesOptions } from './servers/servers-routes.tsx'
import {
  problemActionsRoutes,
  type ProblemActionsOptions,
  problemsRoutes,
} from './problems/problems-routes.tsx'
import { restorePageRoutes } from './restore/restore-page-routes.tsx'
import {
  type NewPipelineRoutesOptions,
  newPipelineRoutes,
} from './new-pipeline/new-pipeline-routes.tsx'
import type { PageContext } from './frame/page-context.ts'
import { frameRoutes } from './frame/frame-routes.tsx'
import { searchRoutes, type SearchRoutesOptions } from './search/search-routes.tsx'
import { loginRoutes } from './login/login-routes.tsx'
import { oidcRoutes, type OidcRoutesOptions } from './login/oidc-routes.tsx'
import { type AccountPageOptions, accountPageRoutes } from './users/account-routes.tsx'
import { type UsersPageOptions, usersPageRoutes } from './users/users-routes.tsx'
import {
  permissionsRoutes,
  type PermissionsRoutesOptions,
} from './permissions/permissions-routes.tsx'
import { tokensPageRoutes, type TokensPageOptions } from './tokens/tokens-routes.tsx'
import { type SnapshotRoutesOptions, snapshotRoutes } from './snapshot/snapshot-routes.tsx'

/** The dependencies of the pages about revisions. */
export interface ConfigurationPagesOptions
  extends
    HistoryRoutesOptions,
    CompareRoutesOptions,
    LiveFileRoutesOptions,
    SnapshotRoutesOptions,
    ServersRoutesOptions,
    TokensPageOptions,
    UsersPageOptions,
    PermissionsRoutesOptions,
    AccountPageOptions,
    OidcRoutesOptions,
    AuditPageOptions,
    SearchRoutesOptions,
    EntityRoutesOptions {
  readonly pages: PageContext
}

export interface PagesOptions
  extends
    ConfigurationPagesOptions,
    EditRoutesOptions,
    NewPipelineRoutesOptions,
    ProblemActionsOptions,
    InvitationsRoutesOptions,
    Omit<AgentsRoutesOptions, 'removed'>,
    Omit<RemovalRoutesOptions, 'removed'>,
    PipelinesRoutesOptions,
    StagePageRoutesOptions,
    JobPageRoutesOptions {}

/** The routes of the pages that every server answers where several share a database. */
export function configurationPages(options: ConfigurationPagesOptions): Hono<RouteEnv>[] {
  return [
    frameRoutes(options.pages),
    loginRoutes(options),
    oidcRoutes(options),
    historyRoutes(options),
    compareRoutes(options),
    liveFileRoutes(options),
    problemsRoutes(options.pages),
    serversRoutes(options),
    tokensPageRoutes(options),
    usersPageRoutes(options),
    permissionsRoutes(options),
    accountPageRoutes(options),
    snapshotRoutes(options),
  ]
}

/**
 * The routes of pages that show of agents and runs what is known of them. The server that has the
 * duties knows all, another one answers without it.
 */
export function pagesWithState(options: ConfigurationPagesOptions): Hono<RouteEnv>[] {
  return [entityRoutes(options), auditPageRoutes(options), searchRoutes(options)]
}

/** The routes of every page. Fixed paths come before those with parameters. */
export function pagesRoutes(options: PagesOptions): Hono<RouteEnv>[] {
  const agents = { ...options, removed: new RemovedAgents() }
  return [
    frameRoutes(options.pages),
    loginRoutes(options),
    oidcRoutes(options),
    historyRoutes(options),
    compareRoutes(options),
    editRoutes(options),
    liveFileRoutes(options),
    newPipelineRoutes(options),
    entityRoutes(options),
    auditPageRoutes(options),
    problemsRoutes(options.pages),
    problemActionsRoutes(options),
    serversRoutes(options),
    tokensPageRoutes(options),
    usersPageRoutes(options),
    permissionsRoutes(options),
    accountPageRoutes(options),
    searchRoutes(options),
    restorePageRoutes(options),
    snapshotRoutes(options),
    removalRoutes(agents),
    invitationsRoutes(options),
    agentsRoutes(agents),
    pipelinesRoutes(options),
    stagePageRoutes(options),
    jobPageRoutes(options),
  ]
}
