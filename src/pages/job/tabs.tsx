import { Chips } from '../kit/chips.tsx'
import type { PageFrame } from '../kit/layout.tsx'
import { runAddress } from '../runs/run-labels.tsx'
import type { JobPage } from './job-page.ts'

/** The tabs of a job, and the artifact of the open one, in a sandbox. */
export function Tabs({ frame: { links }, page }: { frame: PageFrame; page: JobPage }) {
  const { run, job, place, tabs, tab } = page
  const address = { ...runAddress(run), job: job.name }
  if (tabs.length === 0) return <></>
  return (
    <section class="card" data-part="tabs" aria-labelledby="tabs-title" id="tabs">
      <h2 id="tabs-title">Tabs</h2>
      <Chips
        chips={tabs.map(({ name }) => ({
          name,
          href: `${links.job(address, { tab: name })}#tabs`,
          isCurrent: name === tab?.name,
        }))}
      />
      {tab !== null && tab.file === null && (
        <p class="muted">
          {page.isKept ? `The job kept no ${tab.path}.` : 'The artifacts have been removed.'}
        </p>
      )}
      {tab?.file != null && (
        <iframe
          class="tab-content"
          title={tab.name}
          sandbox="allow-scripts allow-popups"
          src={links.file({ ...place, stageCounter: String(place.stageCounter) }, tab.file)}
        ></iframe>
      )}
    </section>
  )
}
