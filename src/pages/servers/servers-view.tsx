import { type SeenServer, type SeenServers, silentServers } from '../../core/seen-server.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'

export interface ServersViewProps {
  readonly frame: PageFrame
  /** Null where there is one server. */
  readonly seen: SeenServers | null
}

/** The servers that share a database, one in a row. */
export function ServersView({ frame, seen }: ServersViewProps) {
  return (
    <PageLayout
      frame={frame}
      title="Servers"
      description="The servers that share one configuration and one state."
      concerns={['database', 'servers']}
    >
      <div class="page-head">
        <div>
          <h1>Servers</h1>
          <p class="muted">{seen === null ? 'This is the only server.' : summaryOf(seen)}</p>
        </div>
      </div>
      {seen !== null && <Table seen={seen} />}
    </PageLayout>
  )
}

function summaryOf({ sequence, lag, holder }: SeenServers): string {
  const here = lag === 0 ? `at entry ${sequence}` : `${entries(lag)} behind`
  const duties =
    holder === null ? 'No server runs builds at the moment' : `${holder} runs builds and polls`
  return `The server that answered you is ${here} of the shared log. ${duties}.`
}

function Table({ seen }: { seen: SeenServers }) {
  const silent = silentServers(seen)
  return (
    <div class="card scroll" tabindex={0} role="region" aria-label="Servers">
      <table>
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">Address</th>
            <th scope="col">Entry of the log</th>
            <th scope="col">Duties</th>
            <th scope="col">Last heard of</th>
          </tr>
        </thead>
        <tbody>
          {seen.servers.map((server) => (
            <Row server={server} isSilent={silent.includes(server)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ server, isSilent }: { server: SeenServer; isSilent: boolean }) {
  const { name, address, sequence, lag, isHolder, silence } = server
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{address}</td>
      <td>{lag === 0 ? sequence : `${sequence}, ${entries(lag)} behind`}</td>
      <td>{isHolder ? 'Builds and polls' : 'None'}</td>
      <td>{isSilent ? `${silence} s ago: it stopped without a word` : 'Now'}</td>
    </tr>
  )
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}
