import type { AgentDirectory } from '../agents/agent-directory.ts'
import { RefusedMachines } from '../agents/refused-machines.ts'
import { RegistrationLimits } from '../agents/registration-limits.ts'
import { autoRegisterKeys } from '../agents/secrets.ts'
import type { BuildServices } from '../builds/build-services.ts'
import { NewestRuns } from '../builds/runs/newest-runs.ts'
import { RunGroups } from '../builds/runs/run-groups.ts'
import type { BuildsDomain } from '../builds/builds-domain.ts'
import { planDocument, planFactsOf } from '../builds/plan/plan-configuration.ts'
import { describeStarts, startsOfPush } from '../builds/plan/plan-push.ts'
import { ProposalQueues, type ProposalsDomain } from '../proposals/proposals-domain.ts'
import { describeForTerminal, proposePush } from '../proposals/propose-push.ts'
import { WaitingMerges } from '../proposals/waiting-merges.ts'
import { readAwaited } from '../proposals/read-proposals.ts'
import { ToldProposals } from '../proposals/tell-proposals.ts'
import { EventLog } from '../notify/events/event-log.ts'
import type { StateStore } from '../state/state-store.ts'
import type { Proposal } from '../proposals/proposal.ts'
import type { Action } from '../core/service/audit.ts'
import type { Principal } from '../core/principal.ts'
import type { AppContext } from './context.ts'
import type { OpenedLeader } from './leadership.ts'
import { openBuilds } from './open-builds.ts'
import { mailLinks } from './mail-links.ts'
import { openMailDigests, openMirror, openWebhooks } from './open-notifications.ts'
import { isStillUser } from '../identities/departed-users.ts'

/** Opens what one server at a time has: the state, and everything that changes it. */
export async function openLeader(app: AppContext): Promise<OpenedLeader> {
  const { boot, configuration, identities, clock } = app
  const { access, editor, history, repository } = configuration
  const { store, directory, registrar, builds, poller, triggers } = await openBuilds(app)
  const { services } = builds
  await configuration.secretAlarm.open(store)
  await configuration.overrides.begin()
  const refused = new RefusedMachines({ clock })
  const judgeKey = autoRegisterKeys(boot.settings['auto-register-key'], configuration.configuration)
  const agents = {
    access,
    editor,
    directory,
    registrar,
    refused,
    clock,
    judgeKey,
    registrations: new RegistrationLimits({ directory, clock, judgeKey }),
    jobs: services.jobs,
    invitations: identities.invitations,
  }
  const runs = {
    ...configuration,
    ...services,
    directory,
    poller,
    triggers,
    runGroups: new RunGroups(configuration),
    newestRuns: new NewestRuns(services.builds),
  }
  configuration.gate.planBy((documents) => planFactsOf(runs, documents))
  configuration.git?.planBy(async (principal, commit) =>
    describeStarts(await startsOfPush(runs, principal, commit)),
  )
  const proposals = openProposals(app, runs)
  const events = openEvents(app, { store, builds: services.builds, directory, proposals })
  const webhooks = await openWebhooks(boot, { history, store, events })
  const mail = await openMailDigests(boot, {
    ...configuration,
    store,
    events,
    changes: configuration,
    subscribers: () => identities.subscriptions.subscribers(),
    awaited: (number) => readAwaited(proposals, number),
    links: () => mailLinks(app),
  })
  return {
    context: { ...app, agents, builds: runs, proposals, webhooks: { access, webhooks } },
    health: {
      builds: { ...services, problems: builds.problems },
      agents: refused,
      materials: poller,
      webhooks,
      mail,
      mirror: openMirror(boot, { history, repository }),
    },
  }
}

interface EventSources {
  readonly store: StateStore
  readonly builds: BuildServices['builds']
  readonly directory: AgentDirectory
  readonly proposals: ProposalsDomain
}

/** The log of events, which hears from everybody who adds some. */
function openEvents(
  { boot: { shutdown }, clock, log }: AppContext,
  { store, builds, directory, proposals }: EventSources,
): EventLog {
  const events = shutdown.own('stop-background-work', new EventLog({ store, clock, log }))
  const told = () => events.announce()
  builds.onEvent(({ type }) => {
    if (type === 'stage-finished') told()
  })
  directory.onLost(told)
  const copied = new ToldProposals({ proposals: proposals.store, store, log, told })
  shutdown.own('stop-background-work', copied)
  return events
}

function openProposals(
  {
    boot,
    configuration,
    identities,
    clock,
    log,
    notify,
    proposalStore,
    proposalMerges,
  }: AppContext,
  builds: BuildsDomain,
): ProposalsDomain {
  const { git } = configuration
  const proposals: ProposalsDomain = {
    ...configuration,
    clock,
    store: proposalStore,
    merges: proposalMerges,
    queues: new ProposalQueues(),
    isStillUser: (person) => isStillUser(identities, person),
    plan: (document, principal, save = {}) =>
      planDocument(builds, document, { door: 'proposal', principal, ...save }),
  }
  boot.shutdown.own('stop-background-work', new WaitingMerges(proposals, log))
  git?.proposeBy(async ({ principal, commit, addressOf }) => {
    const detail = await proposePush(proposals, principal, commit)
    await notify.audit.note(pushedAction(principal, detail.proposal))
    return describeForTerminal(detail, addressOf(`/proposals/${detail.proposal.number}`))
  })
  return proposals
}

/** The push itself is noted before its refs are decided about. */
function pushedAction({ username, credential }: Principal, { number, newest }: Proposal): Action {
  return {
    user: username,
    ...(credential?.kind === 'token' ? { token: credential.id } : {}),
    action: newest.version === 1 ? 'propose' : 'update-proposal',
    target: `/api/proposals/${number}`,
    address: '',
    outcome: 'done',
  }
}
