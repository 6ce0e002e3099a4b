;; The dsl module: commands that the agent made for itself. This one declares none.
;;
;; You call (defcommand name help body) for each, at most 64:
;;   name   the word after the backslash: lower case letters, digits, _ and - between them
;;   help   what it does, in a sentence
;;   body   (lambda (text) ...): text is what stands between the name and ---
;; and the body gives the text of one command that the keeper knows. It stands in the place of the one that was written.
;;
;; (defcommand "remind"
;;             "Waits until somebody says the words, and then wakes me."
;;             (lambda (text) (string-append "\\wake ?(content contains \"" text "\") " text " ---")))
