;; The memory module: which memories are shown to the agent, and in which order.
;;
;; The keeper searches. It hands over the 100 passages that it found best, in its own order, and shows some from the front
;; of the list that this program gives back. This one does what is done without it: by score, the greatest first. Equal
;; scores keep the order in which they were offered.
;;
;; You define (rank question passages now):
;;   question   a text: what was asked, or what memories are wanted for
;;   passages   a list of passages, best first by the keeper's order
;;   now        the time of the question in Unix seconds
;; and give back a list of passage ids: each id that was offered, once, and no other. There are 50 milliseconds for it;
;; when they are over, or the list is wrong, the keeper goes on with its own order.
;;
;; Of a passage p you can ask (passage-id p) (passage-text p) (passage-speaker p) (passage-role p), which is 'person or
;; 'agent, (passage-at p), when it was said in Unix seconds, and (feature p 'name) for the numbers that the search knows.
;; Yes and no are 1 and 0:
;;   score            what the keeper orders by
;;   strength         how much of the question is there, 0 to 1
;;   words            BM25 of its words
;;   words-share      the same, about 0 to 2 for any question
;;   own              share of the question's words that it holds
;;   covered          share that it or its neighbours hold
;;   siblings         BM25 of the rest of its message
;;   stretch          BM25 of the conversation around it
;;   answers          BM25 of the question right before it
;;   answers-meaning  nearness in meaning of that question
;;   asks             it asks something itself
;;   tells-time       it says when something happens
;;   asks-when        the question asks when
;;   date             how close its day is to the one meant
;;   wish             it is a wish of whoever asks
;;   wanted-speaker   it is by whom the question asks about
;;   agent            the agent said it
;;   meaning          nearness in meaning to the question
;;   meaning-before   the same for the passage before
;;   meaning-after    the same for the passage behind
;;   message-meaning  the same for the whole message
;;   shortness        how short messages are in this memory
;;   age-days         days since it was said
;;   length           how many words it has
;;   rank             its place in the keeper's order, from 0
;; (asker) is the name of who asks, or #f.
;;
;; An example that prefers what is young among equals:
;;   (sort-by-descending (lambda (p) (- (feature p 'score) (* 0.001 (feature p 'age-days)))) passages)

(define (rank question passages now)
  (map passage-id
       (sort-by-descending (lambda (passage) (feature passage 'score)) passages)))
