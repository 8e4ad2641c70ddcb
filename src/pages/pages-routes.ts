import type { Hono } from 'hono'
import type { KnownRoute } from '../api/description/described-call.ts'
import type { AnswerRequest, RouteEnv } from '../http/request-context.ts'
import { agentsPages } from './agents/agents-routes.tsx'
import { invitationsPages } from './agents/invitations-routes.tsx'
import { removalPages } from './agent-removal/removal-routes.tsx'
import { auditPage } from './audit/audit-routes.tsx'
import { comparePages } from './compare/compare-routes.tsx'
import { descriptionPages } from './api/description-routes.tsx'
import { editPages } from './edit/edit-routes.tsx'
import { entityPages } from './entity/entity-routes.tsx'
import { formPages } from './forms/forms-routes.tsx'
import { framePages } from './frame/frame-routes.tsx'
import type { PageGroup } from './frame/page-routes.ts'
import { historyPages } from './history/history-routes.tsx'
import { jobPage } from './job/job-page-routes.tsx'
import { liveFilePage } from './live-file/live-file-routes.tsx'
import { loginPages } from './login/login-routes.tsx'
import { oidcPages } from './login/oidc-routes.tsx'
import { maintenancePage } from './maintenance/maintenance-routes.tsx'
import { newPipelinePage } from './new-pipeline/new-pipeline-routes.tsx'
import type { PagesContext } from './frame/pages-context.ts'
import { permissionsPage } from './permissions/permissions-routes.tsx'
import { pipelinesPages } from './pipelines/pipelines-routes.tsx'
import { problemForms, problemsPage } from './problems/problems-routes.tsx'
import { proposalsPages } from './proposals/proposals-routes.tsx'
import { reportPage } from './report/report-routes.tsx'
import { restoringCalls } from './restore/restore-call-routes.ts'
import { restorePages } from './restore/restore-page-routes.tsx'
import { revisionRunsPage } from './revision-runs/revision-runs-routes.tsx'
import { rulesPage } from './rules/rules-page-routes.tsx'
import { runComparisonPage } from './run-comparison/run-comparison-routes.tsx'
import { searchPages } from './search/search-routes.tsx'
import { serversPage } from './servers/servers-routes.tsx'
import { snapshotPages } from './snapshot/snapshot-routes.tsx'
import { tagForms } from './snapshot/tag-routes.tsx'
import { stagePages } from './stage/stage-page-routes.tsx'
import { tokensPage } from './tokens/tokens-routes.tsx'
import { accountPage } from './users/account-routes.tsx'
import { webhooksPage } from './webhooks/webhooks-routes.tsx'
import { usersPages } from './users/users-routes.tsx'

/** Every page. Fixed paths come before those with parameters. */
const PAGES: readonly PageGroup[] = [
  descriptionPages,
  framePages,
  loginPages,
  oidcPages,
  historyPages,
  comparePages,
  editPages,
  formPages,
  liveFilePage,
  newPipelinePage,
  entityPages,
  auditPage,
  proposalsPages,
  reportPage,
  problemsPage,
  problemForms,
  serversPage,
  maintenancePage,
  webhooksPage,
  rulesPage,
  tokensPage,
  usersPages,
  permissionsPage,
  accountPage,
  searchPages,
  restorePages,
  restoringCalls,
  revisionRunsPage,
  snapshotPages,
  tagForms,
  removalPages,
  invitationsPages,
  agentsPages,
  pipelinesPages,
  runComparisonPage,
  stagePages,
  jobPage,
]

/** The rules of the routes of all pages. */
export const PAGE_ROUTES: readonly KnownRoute[] = PAGES.flatMap(({ routes }) => routes)

/** The routes of all pages of a server. */
export function pageRoutes(context: PagesContext, elsewhere: AnswerRequest): Hono<RouteEnv>[] {
  return PAGES.map((each) => each.mount(context, elsewhere))
}
