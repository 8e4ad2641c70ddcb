import { watchButtons, watchNamedChange } from '../code/client/changes.ts'
import { watchLineRanges } from '../code/client/line-ranges.ts'
import { forgetSavedDraft } from '../edit/client/draft-key.ts'
import { watchChosen } from '../history/client/chosen.ts'
import { watchDayBars } from '../history/client/drag-days.ts'
import { showNewRevisions } from '../history/client/new-revisions.ts'
import { keepClockTimes } from '../kit/client/clock-times.ts'
import { watchCopyButtons } from '../kit/client/copy.ts'
import { watchFocus } from '../kit/client/focus.ts'
import { watchMenus } from '../kit/client/menus.ts'

// Adds shortcuts and live updates to the pages. Every page works without this script.
document.documentElement.classList.add('scripted')
keepClockTimes()
watchChosen()
watchDayBars()
showNewRevisions()
watchButtons()
watchNamedChange()
watchCopyButtons()
watchMenus()
watchFocus()
watchLineRanges()
forgetSavedDraft()
