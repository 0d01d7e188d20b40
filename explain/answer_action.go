package explain

import "github.com/retry-lab/retry-lab/classifier"

// Action says in one sentence what to do about the request, were it a bare
// POST: the last thing that the reader of an answer wants to know.
func (a *Answer) Action() string {
	switch {
	case a.Code == notClientSide:
		return "nothing from here: look for the client's own error"
	case a.Code == classifier.Unknown:
		return "nothing yet: the text does not tell"
	case a.Post == CellWait:
		return "send it again after a pause, whatever the method"
	case a.Post == CellYes:
		return "send it again, whatever the method"
	case a.Post == CellModified:
		return "send it again once, with the one thing changed that the answer names"
	case a.Get == CellModified:
		return "rebuild the body; a bare POST only after finding out what became of the first"
	case a.Processed == classifier.Yes && a.Get == CellYes:
		return "do not send a bare POST again, the work is done; fetch its outcome, or send the same key"
	case a.Get == CellYes:
		return "do not send a bare POST again, it may have worked; find out, or send the same key"
	case a.PostKey == CellYes:
		return "wait and send the same key; never a bare POST"
	case a.Code == classifier.Canceled:
		return "do not send it again: the caller gave up"
	}
	return "do not send it again: it would fail the same way"
}
