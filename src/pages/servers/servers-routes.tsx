import { assertMay } from '../../configuration/access/permission.ts'
import { pageResponse } from '../frame/page-response.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { type SeenServers, silentServers } from '../../core/service/seen-server.ts'
import { countOf } from '../kit/words/count.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { EmptyCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'

const { get } = routesWith<PagesContext>()

/** `/servers`: the servers that share a database, and which of them leads. */
export const serversPage = definePage([
  get('/servers', ({ pages, configuration, health }, c) => {
    const { principal } = c.env
    assertMay(configuration.access, principal, { action: 'administer' })
    const seen = health.cluster?.seen() ?? null
    return pageResponse(<ServersView frame={pages.frame(c.req.raw, principal)} seen={seen} />)
  }),
])

interface ServersViewProps {
  readonly frame: PageFrame
  /** Null where there is one server. */
  readonly seen: SeenServers | null
}

/** The servers that share a database, one in a row. */
function ServersView({ frame, seen }: ServersViewProps) {
  return (
    <PageLayout
      frame={frame}
      title="Servers"
      description="Servers that share one configuration and state."
      concerns={['database', 'servers']}
    >
      <PageHead
        title="Servers"
        about={seen === null ? 'This is the only server.' : summaryOf(seen)}
      />
      {seen === null ? (
        <EmptyCard title="No other servers">
          {
            'Several servers share one history and one state in PostgreSQL. Start another one with the same '
          }
          <code class="nowrap">--state</code>
          {', and it appears here.'}
        </EmptyCard>
      ) : (
        <ServersTable seen={seen} />
      )}
    </PageLayout>
  )
}

function summaryOf({ sequence, lag, holder }: SeenServers): string {
  const here = lag === 0 ? `at entry ${sequence}` : `${countOf(lag, 'entry', 'entries')} behind`
  const duties =
    holder === null ? 'No server runs builds at the moment' : `${holder} runs builds and polls`
  return `The server that answered you is ${here} of the shared log. ${duties}.`
}

const COLUMNS = [
  { label: 'Server', isHead: true, isPlain: true },
  'Address',
  'Log entry',
  'Runs',
  'Last heard',
]

function ServersTable({ seen }: { seen: SeenServers }) {
  const silent = silentServers(seen)
  const rows = seen.servers.map((server) => {
    const { name, address, sequence, lag, isHolder, silence } = server
    return {
      cells: [
        name,
        address,
        lag === 0 ? sequence : `${sequence}, ${countOf(lag, 'entry', 'entries')} behind`,
        isHolder && seen.holder !== null ? 'Builds and polls' : 'Nothing',
        silent.includes(server) ? `${silence} s ago: it stopped without notice` : 'Now',
      ],
    }
  })
  return <Table label="Servers" columns={COLUMNS} rows={rows} />
}
