import { MemberText, noteMemberText } from '../model/member-text.ts'
import type { Pipeline, Stage } from '../model/model.ts'
import { withUnreadJobs } from '../model/unread-jobs.ts'
import { judgeAlone } from '../rules/rules.ts'
import type { Edition } from '../structure/structure.ts'
import { hasPlainJobs } from '../unsupported/unsupported-in-pipeline.ts'
import { childElements } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { MemberElement } from './member-element.ts'

/** The part of a pipeline that is kept once it was read: its jobs are a text, with all that can be said of them. */
export function keptPipeline(
  pipeline: Pipeline,
  element: MemberElement,
  edition: Edition,
): Pipeline {
  const isLater = edition === 'later'
  const text = new MemberText(element.text)
  const { isSelfContained, isValid } = judgeAlone(pipeline, isLater)
  text.isSelfContained = isSelfContained
  text.isLater = isValid ? isLater : null
  text.hasPlainJobs = hasPlainJobs(pipeline)
  return withoutJobs(pipeline, element, text)
}

function withoutJobs(pipeline: Pipeline, element: MemberElement, text: MemberText): Pipeline {
  const written = childElements(element).filter(({ name }) => name === 'stage')
  const stages = pipeline.stages.map((stage, n) =>
    withoutOwnJobs(stage, written[n], { text: text.text, first: element.first }),
  )
  const kept = { ...pipeline, stages }
  noteMemberText(kept, text)
  return kept
}

function withoutOwnJobs(
  stage: Stage,
  written: XmlElement | undefined,
  { text, first }: { readonly text: string; readonly first: number },
): Stage {
  const jobs = written && childElements(written).find(({ name }) => name === 'jobs')
  return jobs ? withUnreadJobs(stage, { text, span: jobs.span, first: first + jobs.number }) : stage
}
